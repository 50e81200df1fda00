import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { identify } from '#authentication/credentials.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import {
  canSeeProject,
  findMovedProject,
  findProject,
  getProjectRole,
  type Project,
} from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { findReplicatedRepository } from '#domain/site-scope.ts';
import type { Snippet } from '#domain/snippets.ts';
import type { LocatedRepository } from '#repositories/repository.ts';
import { REPOSITORY_READ_ONLY } from '../errors/error-messages.ts';
import { clockSkewed, HttpError, unauthorized } from '../errors/http-error.ts';
import { getBasicCredentials, getSiteToken } from '../request/credentials.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import { type Access, type AccessCall, access } from './access.ts';
import {
  basicChallenge,
  credentialsRequired,
  findGitSnippet,
  findGitWiki,
  type GitAction,
  type GitCall,
  getWikiRepository,
  gitForbidden,
  invalidCredentials,
  repositoryNotFound,
  requireCurrentPath,
  requireGitScope,
} from './git-rules.ts';

/** Access of git and LFS clients: HTTP Basic with a token as the password, plain-text errors (contract/repository.md §5). */

/** Returns the git action of a request; null for an unknown service. */
type GetGitAction = (call: AccessCall) => GitAction | null;

/** Allows git clients with permission for the action in the project. */
export function gitAccess(
  getAction: GetGitAction,
  audience: 'open' | 'user' = 'open',
): Access<{ project: Project; caller: Caller }> {
  return access({
    audience,
    label: 'git (Basic)',
    authenticate: () => {},
    async load(call) {
      const { target: project, caller } = await authorizeGit(call, getAction, loadAllowedProject);
      return { project, caller };
    },
    authorize: () => {},
  });
}

/** The target of a push: the repository of a project, the wiki of a parent, or a snippet. */
export type GitTarget =
  | { readonly project: Project; readonly wikiParent?: undefined; readonly snippet?: undefined }
  | { readonly wikiParent: GroupOrProject; readonly project?: undefined; readonly snippet?: undefined }
  | { readonly snippet: Snippet; readonly project?: undefined; readonly wikiParent?: undefined };

/** Allows git clients with permission to push to the target. */
export function pushAccess(): Access<{ target: GitTarget; caller: Caller }> {
  return access({
    audience: 'user',
    label: 'git (Basic)',
    authenticate: () => {},
    async load(call) {
      const { target, caller } = await authorizeGit(call, () => 'push', loadGitTarget);
      return { target, caller };
    },
    authorize: () => {},
  });
}

async function loadGitTarget(call: GitCall, caller: Caller, action: GitAction): Promise<GitTarget> {
  const snippet = await findGitSnippet(call, caller, action);
  if (snippet !== null) return { snippet };
  const wikiParent = await findGitWiki(call, caller, action);
  return wikiParent === null ? { project: await loadAllowedProject(call, caller, action) } : { wikiParent };
}

/** Credential scheme of a fetch by a replication site: its first request, or a later one with the same token. */
type SiteScheme = 'siteFetch' | 'repeatedSiteFetch';

/** The repository that an authorized user or replication site fetches from. */
interface FetchSource {
  readonly repository: LocatedRepository;
  /** Whether internal refs are served too. */
  readonly allRefs: boolean;
}

/**
 * Allows git clients with permission for the action, and replication sites: a site fetches every ref of the repositories that
 * it replicates (contract/operations.md §3.4), and cannot push.
 */
export function fetchAccess(getAction: GetGitAction, siteScheme: SiteScheme): Access<FetchSource> {
  return access({
    audience: 'open',
    label: 'git (Basic) or site',
    authenticate: () => {},
    load: (call) => loadFetchSource(call, getAction, siteScheme),
    authorize: () => {},
  });
}

async function loadFetchSource<Call extends GitCall>(
  call: Call,
  getAction: (call: Call) => GitAction | null,
  scheme: SiteScheme,
): Promise<FetchSource> {
  const secret = getSiteToken(call.request);
  if (secret !== undefined)
    return { repository: await loadSiteRepository(call, { scheme, secret }, getAction(call)), allRefs: true };
  const { target } = await authorizeGit(call, getAction, loadGitTarget);
  const repository =
    target.project ?? target.snippet ?? (await getWikiRepository(call.db, target.wikiParent, getAction(call)));
  return { repository, allRefs: false };
}

/** Returns whether a request that was allowed to fetch would still be allowed now. Its single-use site token counts as repeated. */
export async function canStillFetch(
  services: Services,
  request: IncomingRequest,
  repository_path: string,
): Promise<boolean> {
  try {
    await loadFetchSource(
      { services, db: services.database.reader, path: { repository_path }, request },
      () => 'fetch',
      'repeatedSiteFetch',
    );
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** Returns the repository in the path if the site replicates it; throws otherwise. */
async function loadSiteRepository(
  { services, db, request, path }: GitCall,
  siteToken: { readonly scheme: SiteScheme; readonly secret: string },
  action: GitAction | null,
): Promise<LocatedRepository> {
  const { caller, invalidToken } = await identify(services, siteToken, request);
  const repositoryPath = path.repository_path ?? '';
  if (invalidToken !== undefined) throw invalidToken.code === 'clockSkewed' ? clockSkewed() : unauthorized();
  if (caller.site?.enabled !== true || caller.site.claims.scope !== repositoryPath) throw unauthorized();
  if (action !== 'fetch') throw gitForbidden(action === 'push' ? NO_PUSH : 'Service not supported');
  const repository = await findReplicatedRepository(db, caller.site.id, repositoryPath);
  if (repository === null) throw repositoryNotFound();
  return repository;
}

/**
 * Authenticates a git client, then calls `loadTarget` to load and authorize the target. Throws the plain-text error for
 * the client.
 */
async function authorizeGit<Call extends GitCall, Target>(
  call: Call,
  getAction: (call: Call) => GitAction | null,
  loadTarget: (call: Call, caller: Caller, action: GitAction) => Promise<Target>,
): Promise<{ target: Target; caller: Caller }> {
  const action = getAction(call);
  const secret = getSiteToken(call.request);
  if (secret !== undefined) {
    // This endpoint accepts no sites. A site still gets its own error first, for example 403 for a push.
    await loadSiteRepository(call, { scheme: 'repeatedSiteFetch', secret }, action);
    throw unauthorized();
  }
  const caller = await authenticateGit(call);
  if (action === null)
    throw caller.user === null ? basicChallenge('Access denied') : gitForbidden('Service not supported');
  return { target: await loadTarget(call, caller, action), caller };
}

async function loadAllowedProject(call: GitCall, caller: Caller, action: GitAction): Promise<Project> {
  const project = await loadReachableProject(call, caller, action);
  requireGitAction(caller, project, action);
  return project;
}

/** Returns the error text for a push whose permission was revoked during the request. */
export async function getPushDenial(
  services: Services,
  request: IncomingRequest,
  repository_path: string,
): Promise<string> {
  try {
    await authorizeGit(
      { services, db: services.database.reader, path: { repository_path }, request },
      () => 'push',
      loadGitTarget,
    );
  } catch (error) {
    if (error instanceof HttpError) return String(error.body);
    throw error;
  }
  return NO_PUSH;
}

const NO_PUSH = 'You are not allowed to push code to this project.';

/** The user name under which the token of a running job works as well (contract/conventions.md §7 "Job tokens"). */
const JOB_USERNAME = 'gitlab-ci-token';

/** Returns the owner of the token in the password; other user names are ignored. Anonymous without credentials. */
async function authenticateGit({ services, request }: GitCall): Promise<Caller> {
  const basic = getBasicCredentials(request);
  if (basic === null) return { ...ANONYMOUS, address: request.clientAddress };
  if (basic.password === '') throw invalidCredentials();
  const scheme = basic.username === JOB_USERNAME ? 'bearerOrJob' : 'bearer';
  const identification = await identify(services, { scheme, secret: basic.password }, request);
  if (identification.invalidToken !== undefined || identification.block !== null) throw invalidCredentials();
  return identification.caller;
}

async function loadReachableProject(call: GitCall, caller: Caller, action: GitAction): Promise<Project> {
  const { db, path, request } = call;
  const projectPath = path.repository_path ?? '';
  const project = await findProject(db, caller, projectPath);
  if (project !== null && isReachable(caller, project, action)) return project;
  const movedProject =
    project === null && projectPath.includes('/') ? await findMovedProject(db, caller, projectPath) : null;
  if (movedProject !== null && isReachable(caller, movedProject, action)) {
    if (action === 'push') requireCurrentPath(request, movedProject, projectPath);
    return movedProject;
  }
  throw caller.user === null ? credentialsRequired() : repositoryNotFound();
}

/** Returns whether the caller may learn that the project exists: anonymous callers only if they may fetch it. */
function isReachable(caller: Caller, project: Project, action: GitAction): boolean {
  if (!canSeeProject(caller, project)) return false;
  return caller.user !== null || (action === 'fetch' && mayInProject(caller, 'read_code', project));
}

/** Throws the error for the client unless a caller who can see the project may perform the action. */
export function requireGitAction(caller: Caller, project: Project, action: GitAction): void {
  requireGitScope(caller, action);
  if (action === 'fetch') {
    if (!mayInProject(caller, 'read_code', project))
      throw gitForbidden('You are not allowed to download code from this project.');
    return;
  }
  // Callers who could not push to an active project either get the general error below.
  if (project.archived && getProjectRole(caller, project) >= DEVELOPER)
    throw gitForbidden("You can't push code to an archived project.");
  if (!mayInProject(caller, 'push_code', project)) throw gitForbidden(NO_PUSH);
  if (project.read_only) throw gitForbidden(REPOSITORY_READ_ONLY[1]);
}
