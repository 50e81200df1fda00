import type { Caller } from '#authentication/caller.ts';
import { HttpError } from '../errors/http-error.ts';
import type { Incoming } from '../request/incoming.ts';
import type { AccessCall } from './access.ts';

/** What git clients are told, in plain text, whatever kind of repository they ask of (contract/repository.md §5). */

export type GitAction = 'fetch' | 'push';

export type GitCall = Pick<AccessCall, 'services' | 'db' | 'path' | 'request'>;

const SCOPES: Readonly<Record<GitAction, readonly string[]>> = {
  fetch: ['api', 'write_repository', 'read_api', 'read_repository'],
  push: ['api', 'write_repository'],
};

export const text = (status: number, body: string, headers: Record<string, string> = {}) =>
  new HttpError(status, body, headers);
export const challenge = (body: string) => text(401, body, { 'WWW-Authenticate': 'Basic realm="Hearth"' });
export const denied = () =>
  challenge(
    'HTTP Basic: Access denied. The provided password or token is incorrect or has expired, or your account may not use it.',
  );
/** To whoever has not said who he is. */
export const accessDenied = () => challenge('HTTP Basic: Access denied');
export const missing = () =>
  text(404, "The project you were looking for could not be found or you don't have permission to view it.");
export const forbidden = (body: string) => text(403, body);

/** Whoever pushes says who he is, by something that lets him; jobs push nothing. Throws what the client is told. */
export function checkCredentials(caller: Caller, action: GitAction): void {
  if (caller.user === null && action === 'push') throw accessDenied();
  if (caller.job !== undefined && action === 'push') throw forbidden('You are not allowed to upload code.');
  if (caller.token === null || caller.job !== undefined) return;
  if (caller.token.scopes.some((scope) => SCOPES[action].includes(scope))) return;
  throw forbidden(`You are not allowed to ${action === 'push' ? 'upload' : 'download'} code.`);
}

/** Nobody writes by the old path of a project. Throws what the client is told. */
export function checkNotMoved({ baseUrl }: Incoming, project: { readonly full_path: string }, path: string): void {
  if (path.toLowerCase() === project.full_path.toLowerCase()) return;
  throw text(404, `The project has moved. Its new address is ${baseUrl}/${project.full_path}.git`);
}
