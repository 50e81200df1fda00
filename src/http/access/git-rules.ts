import type { Caller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import { findReadableSnippet, mayUpdateSnippet, type SnippetInProject } from '#authorization/snippets.ts';
import type { Reader } from '#database/database.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { canSeeGroup, findGroup } from '#domain/namespaces/groups.ts';
import { canSeeProject, findMovedProject, findProject, getProjectRole } from '#domain/namespaces/projects.ts';
import { WIKI_SUFFIX } from '#domain/namespaces/routes.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { isReadOnlySnippet, type Snippet } from '#domain/snippets.ts';
import { findWiki } from '#domain/wikis.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import type { LocatedRepository } from '#repositories/repository.ts';
import { REPOSITORY_READ_ONLY } from '../errors/error-messages.ts';
import { HttpError } from '../errors/http-error.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import type { AccessCall } from './access.ts';

/** Errors for git clients in plain text (contract/repository.md §5), and their access to snippets and wikis. */

export type GitAction = 'fetch' | 'push';

/** Common to the endpoints of git and LFS clients: access authenticates them, and the handler reads the body. */
export const GIT_ENDPOINT = { stageOrder: 'customAuthentication', body: 'raw', outsideApi: true } as const;

export type GitCall = Pick<AccessCall, 'services' | 'db' | 'path' | 'request'>;

const ACCEPTED_SCOPES: Readonly<Record<GitAction, readonly string[]>> = {
  fetch: ['api', 'write_repository', 'read_api', 'read_repository'],
  push: ['api', 'write_repository'],
};

const plainError = (status: number, body: string, headers: Record<string, string> = {}) =>
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

/** `/snippets/<id>.git` and `/<full path>/snippets/<id>.git` (contract/everyday-more.md §7.1). */
const SNIPPET_PATH = /^(?:(.+)\/)?snippets\/(\d{1,15})$/i;

/** Returns the snippet in the path and authorizes the action; null if the path is not that of a snippet. */
export async function findGitSnippet(call: GitCall, caller: Caller, action: GitAction): Promise<Snippet | null> {
  const repositoryPath = call.path.repository_path ?? '';
  const match = SNIPPET_PATH.exec(repositoryPath);
  if (match === null) return null;
  const projectPath = match[1];
  // A project in a group called `snippets` takes precedence.
  if (projectPath !== undefined && (await findProject(call.db, caller, repositoryPath)) !== null) return null;
  const snippetInProject = await findReadableSnippet(call.db, caller, Number(match[2]));
  if (
    snippetInProject === null ||
    !(await isPathOfSnippet(call, caller, snippetInProject, projectPath, action)) ||
    // A job of another project
    (caller.job !== undefined && caller.job.projectId !== snippetInProject.snippet.project_id)
  ) {
    throw caller.user === null
      ? credentialsRequired()
      : plainError(404, 'The snippet you were looking for could not be found.');
  }
  requireAction(caller, snippetInProject, action);
  return snippetInProject.snippet;
}

/** Returns whether the path names the snippet's project; undefined: no project. Throws for a push to the old path of a moved project. */
async function isPathOfSnippet(
  { db, request }: GitCall,
  caller: Caller,
  { snippet, project }: SnippetInProject,
  path: string | undefined,
  action: GitAction,
): Promise<boolean> {
  if (project === null || path === undefined) return project === null && path === undefined;
  if (path.toLowerCase() === project.full_path.toLowerCase()) return true;
  if ((await findMovedProject(db, caller, path))?.id !== project.id) return false;
  const suffix = `/snippets/${snippet.id}`;
  if (action === 'push') requireCurrentPath(request, { full_path: project.full_path + suffix }, path + suffix);
  return true;
}

function requireAction(caller: Caller, { snippet, project }: SnippetInProject, action: GitAction): void {
  requireGitScope(caller, action);
  if (action === 'fetch') return;
  if (!mayUpdateSnippet(caller, { snippet, project })) {
    throw gitForbidden(
      project?.archived ? "You can't push code to an archived project." : 'You are not allowed to update this snippet.',
    );
  }
  if (isReadOnlySnippet(snippet)) throw gitForbidden(REPOSITORY_READ_ONLY[1]);
}

const GROUP_NOT_FOUND = 'The group you were looking for could not be found.';

/** Returns the parent of the wiki in the path, `/<full path>.wiki.git` (contract/operations.md §2.2 "Git"), and authorizes the action; null if the path is not that of a wiki. */
export async function findGitWiki(call: GitCall, caller: Caller, action: GitAction): Promise<GroupOrProject | null> {
  const repositoryPath = call.path.repository_path ?? '';
  const path = repositoryPath.slice(0, -WIKI_SUFFIX.length);
  if (!repositoryPath.toLowerCase().endsWith(WIKI_SUFFIX) || path === '') return null;
  // A project whose own path ends in `.wiki` takes precedence.
  if ((await findProject(call.db, caller, repositoryPath)) !== null) return null;
  const parent = await findWikiParent(call, caller, path, action);
  // Anonymous clients are asked for credentials, whether the parent is missing or their access is.
  if (
    parent === null ||
    (caller.user === null && (action === 'push' || !mayInParent(caller, 'download_wiki', parent)))
  ) {
    if (caller.user === null) throw credentialsRequired();
    // Only a group can have a path without a slash.
    throw path.includes('/') ? repositoryNotFound() : plainError(404, GROUP_NOT_FOUND);
  }
  await requireWikiAction(call.db, caller, parent, action);
  return parent;
}

async function findWikiParent(
  { db, services, request }: GitCall,
  caller: Caller,
  path: string,
  action: GitAction,
): Promise<GroupOrProject | null> {
  const project = await findProject(db, caller, path);
  if (project !== null) return canSeeProject(caller, project) ? { project } : null;
  const group = /^\d+$/.test(path) ? null : await findGroup(db, caller, path);
  if (group !== null) return canSeeGroup(caller, group) && services.config.tier !== 'free' ? { group } : null;
  const movedProject = path.includes('/') ? await findMovedProject(db, caller, path) : null;
  if (movedProject === null || !canSeeProject(caller, movedProject)) return null;
  if (action === 'push')
    requireCurrentPath(request, { full_path: movedProject.full_path + WIKI_SUFFIX }, path + WIKI_SUFFIX);
  return { project: movedProject };
}

async function requireWikiAction(db: Reader, caller: Caller, parent: GroupOrProject, action: GitAction): Promise<void> {
  requireGitScope(caller, action);
  const { project } = parent;
  if (action === 'fetch') {
    const isJobOfOtherProject = caller.job !== undefined && caller.job.projectId !== project?.id;
    if (isJobOfOtherProject || !mayInParent(caller, 'download_wiki', parent))
      throw gitForbidden('You are not allowed to download files from this wiki.');
    return;
  }
  if (project?.archived && getProjectRole(caller, project) >= DEVELOPER)
    throw gitForbidden("You can't push code to an archived project.");
  if (!mayInParent(caller, 'create_wiki', parent))
    throw gitForbidden(`You are not allowed to write to this ${project ? "project's" : "group's"} wiki.`);
  if (project?.read_only || (await findWiki(db, parent))?.read_only) throw gitForbidden(REPOSITORY_READ_ONLY[1]);
}

/** Returns the repository of a wiki. A missing one cannot be fetched, and appears empty to a push. */
export async function getWikiRepository(
  db: Reader,
  parent: GroupOrProject,
  action: GitAction | null,
): Promise<LocatedRepository> {
  const wiki = await findWiki(db, parent);
  if (wiki !== null && (action === 'push' || !wiki.empty)) return wiki;
  if (action === 'push') {
    const { storage } = parent.project ?? parent.group!;
    // No repository has this path, so that the push sees an empty one.
    return { storage, disk_path: toDiskPath('a wiki that is not there yet'), default_branch: 'main' };
  }
  throw plainError(404, `A repository for this ${parent.project ? 'wiki' : 'group wiki'} does not exist yet.`);
}
