import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { identify } from '#authentication/credentials.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { canSeeProject, findMovedProject, findProject, type Project, roleIn } from '#domain/namespaces/projects.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import { findHeldRepository } from '#domain/site-scope.ts';
import type { Placed } from '#repositories/repository.ts';
import { READ_ONLY } from '../errors/error-messages.ts';
import { clockSkewed, HttpError, unauthorized } from '../errors/http-error.ts';
import { basicCredentials, siteProof } from '../request/credentials.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import { type Access, type AccessCall, access } from './access.ts';
import {
  accessDenied,
  challenge,
  checkCredentials,
  checkNotMoved,
  denied,
  forbidden,
  type GitAction,
  type GitCall,
  missing,
} from './git-rules.ts';
import { gitWiki, wikiRepository } from './git-wiki-access.ts';

/** Access of git and LFS clients: HTTP Basic with a token as the password, plain-text refusals (contract/repository.md §5). */

/** What is wanted of the repository that `repository_path` names; null: nothing that git knows. */
type WantedBy = (call: AccessCall) => GitAction | null;

/** A git client that may do what it asks for, with the project it asks of. */
export function gitAccess(
  wantedBy: WantedBy,
  who: 'open' | 'user' = 'open',
): Access<{ project: Project; caller: Caller }> {
  return access({
    audience: who,
    label: 'git (Basic)',
    authenticate: () => {},
    async load(call) {
      const { found: project, caller } = await admitted(call, wantedBy, gitProjectFor);
      return { project, caller };
    },
    authorize: () => {},
  });
}

/** What git clients push to: a project's repository, or that of a wiki. */
export type GitTarget =
  | { readonly project: Project; readonly wikiOf?: undefined }
  | { readonly wikiOf: Place; readonly project?: undefined };

/** A git client that may push, with what it pushes to. */
export function pushAccess(): Access<{ target: GitTarget; caller: Caller }> {
  return access({
    audience: 'user',
    label: 'git (Basic)',
    authenticate: () => {},
    async load(call) {
      const { found: target, caller } = await admitted(call, () => 'push', gitTarget);
      return { target, caller };
    },
    authorize: () => {},
  });
}

async function gitTarget(call: GitCall, caller: Caller, action: GitAction): Promise<GitTarget> {
  const wikiOf = await gitWiki(call, caller, action);
  return wikiOf === null ? { project: await gitProjectFor(call, caller, action) } : { wikiOf };
}

/** What is fetched from: a repository by somebody who may read it, or by a site that holds a copy. */
interface Fetched {
  readonly repository: Placed;
  /** Also the refs that the server keeps for itself. */
  readonly allRefs: boolean;
}

/**
 * A git client that may do what it asks for, or a replication site, which fetches every ref of what it holds, private or not
 * (contract/operations.md §3.4), and pushes nothing.
 */
export function fetchAccess(wantedBy: WantedBy): Access<Fetched> {
  return access({
    audience: 'open',
    label: 'git (Basic) or site',
    authenticate: () => {},
    load: (call) => fetched(call, wantedBy),
    authorize: () => {},
  });
}

async function fetched<Call extends GitCall>(call: Call, wantedBy: (call: Call) => GitAction | null): Promise<Fetched> {
  const proof = siteProof(call.request);
  if (proof !== undefined) return { repository: await heldBySite(call, proof, wantedBy(call)), allRefs: true };
  const { found } = await admitted(call, wantedBy, gitTarget);
  const { project, wikiOf } = found;
  return { repository: project ?? (await wikiRepository(call.db, wikiOf, wantedBy(call))), allRefs: false };
}

/** Would whoever was let in to fetch be let in at this moment? */
export async function mayFetchStill(services: Services, request: Incoming, repository_path: string): Promise<boolean> {
  try {
    await fetched({ services, db: services.database.reader, path: { repository_path }, request }, () => 'fetch');
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** What a site may fetch, of the project that the path names. Throws what it is told that wants something else. */
async function heldBySite(
  { services, db, request, path }: GitCall,
  proof: string,
  action: GitAction | null,
): Promise<Placed> {
  const { caller, dead } = await identify(services, { way: 'site', secret: proof }, request);
  const name = path.repository_path ?? '';
  if (dead !== undefined) throw dead.code === 'skewed' ? clockSkewed() : unauthorized();
  if (caller.site?.enabled !== true || caller.site.data.scope !== name) throw unauthorized();
  if (action !== 'fetch') throw forbidden(action === 'push' ? NO_PUSH : 'Service not supported');
  const repository = await findHeldRepository(db, caller.site.id, name);
  if (repository === null) throw missing();
  return repository;
}

/** `find`: what the path names, for somebody who may do it there; throws what others are told. */
async function admitted<Call extends GitCall, Found>(
  call: Call,
  wantedBy: (call: Call) => GitAction | null,
  find: (call: Call, caller: Caller, action: GitAction) => Promise<Found>,
): Promise<{ found: Found; caller: Caller }> {
  const action = wantedBy(call);
  const proof = siteProof(call.request);
  if (proof !== undefined) {
    await heldBySite(call, proof, action);
    throw unauthorized();
  }
  const caller = await gitCaller(call);
  if (action === null) throw caller.user === null ? challenge('Access denied') : forbidden('Service not supported');
  return { found: await find(call, caller, action), caller };
}

async function gitProjectFor(call: GitCall, caller: Caller, action: GitAction): Promise<Project> {
  const project = await gitProject(call, caller, action);
  checkGitAction(caller, project, action);
  return project;
}

/** What somebody hears at this moment who may not push: for whoever was let in before, and lost his rights meanwhile. */
export async function whyNoPush(services: Services, request: Incoming, repository_path: string): Promise<string> {
  try {
    await admitted(
      { services, db: services.database.reader, path: { repository_path }, request },
      () => 'push',
      gitTarget,
    );
  } catch (error) {
    if (error instanceof HttpError) return String(error.body);
    throw error;
  }
  return NO_PUSH;
}

const NO_PUSH = 'You are not allowed to push code to this project.';

/** By this name a job comes, whose token is the password then (contract/conventions.md §7 "Job tokens"). */
const JOB_USERNAME = 'gitlab-ci-token';

/** The owner of the token that came as the password; any other user name will do. Nobody without credentials. */
async function gitCaller({ services, request }: GitCall): Promise<Caller> {
  const basic = basicCredentials(request);
  if (basic === null) return { ...ANONYMOUS, address: request.clientAddress };
  if (basic.password === '') throw denied();
  const way = basic.username === JOB_USERNAME ? 'job' : 'bearer';
  const identified = await identify(services, { way, secret: basic.password }, request);
  if (identified.dead !== undefined || identified.barred !== null) throw denied();
  return identified.caller;
}

async function gitProject(call: GitCall, caller: Caller, action: GitAction): Promise<Project> {
  const { db, path, request } = call;
  const name = path.repository_path ?? '';
  const project = await findProject(db, caller, name);
  if (project !== null && isReachable(caller, project, action)) return project;
  const moved = project === null && name.includes('/') ? await findMovedProject(db, caller, name) : null;
  if (moved !== null && isReachable(caller, moved, action)) {
    if (action === 'push') checkNotMoved(request, moved, name);
    return moved;
  }
  throw caller.user === null ? accessDenied() : missing();
}

/** Anonymous callers fetch what is public and nothing else; what they may not have looks like what is not there. */
function isReachable(caller: Caller, project: Project, action: GitAction): boolean {
  if (!canSeeProject(caller, project)) return false;
  return caller.user !== null || (action === 'fetch' && mayInProject(caller, 'read_code', project));
}

/** May this caller, who sees the project, do it? Throws what the client is told otherwise. */
export function checkGitAction(caller: Caller, project: Project, action: GitAction): void {
  checkCredentials(caller, action);
  if (action === 'fetch') {
    if (!mayInProject(caller, 'read_code', project)) {
      throw forbidden('You are not allowed to download code from this project.');
    }
    return;
  }
  if (project.archived && roleIn(caller, project) >= DEVELOPER) {
    throw forbidden("You can't push code to an archived project.");
  }
  if (!mayInProject(caller, 'push_code', project)) {
    throw forbidden(NO_PUSH);
  }
  if (project.read_only) throw forbidden(READ_ONLY[1]);
}
