import type { Caller } from '#authentication/caller.ts';
import { HttpError } from '../errors/http-error.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import type { AccessCall } from './access.ts';

/** Plain-text errors for git clients, the same for all kinds of repositories (contract/repository.md §5). */

export type GitAction = 'fetch' | 'push';

export type GitCall = Pick<AccessCall, 'services' | 'db' | 'path' | 'request'>;

const ACCEPTED_SCOPES: Readonly<Record<GitAction, readonly string[]>> = {
  fetch: ['api', 'write_repository', 'read_api', 'read_repository'],
  push: ['api', 'write_repository'],
};

export const plainError = (status: number, body: string, headers: Record<string, string> = {}) =>
  new HttpError(status, body, headers);
export const basicChallenge = (body: string) => plainError(401, body, { 'WWW-Authenticate': 'Basic realm="Hearth"' });
export const invalidCredentials = () =>
  basicChallenge(
    'HTTP Basic: Access denied. The provided password or token is incorrect or has expired, or your account may not use it.',
  );
/** Returns the error for requests without credentials. */
export const credentialsRequired = () => basicChallenge('HTTP Basic: Access denied');
export const repositoryNotFound = () =>
  plainError(404, "The project you were looking for could not be found or you don't have permission to view it.");
export const gitForbidden = (body: string) => plainError(403, body);

/** Throws unless the credentials allow the action: pushing requires a user and a suitable scope, and job tokens cannot push. */
export function requireGitScope(caller: Caller, action: GitAction): void {
  if (caller.user === null && action === 'push') throw credentialsRequired();
  if (caller.job !== undefined && action === 'push') throw gitForbidden('You are not allowed to upload code.');
  if (caller.token === null || caller.job !== undefined) return;
  if (caller.token.scopes.some((scope) => ACCEPTED_SCOPES[action].includes(scope))) return;
  throw gitForbidden(`You are not allowed to ${action === 'push' ? 'upload' : 'download'} code.`);
}

/** Throws for a push to the old path of a moved project. */
export function requireCurrentPath(
  { baseUrl }: IncomingRequest,
  project: { readonly full_path: string },
  requestedPath: string,
): void {
  if (requestedPath.toLowerCase() === project.full_path.toLowerCase()) return;
  throw plainError(404, `The project has moved. Its new address is ${baseUrl}/${project.full_path}.git`);
}
