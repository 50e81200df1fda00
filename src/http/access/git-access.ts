import { mayInProject } from '../../access/abilities.ts';
import { canSeeProject, findMovedProject, findProject, type Project, roleIn } from '../../access/projects.ts';
import { DEVELOPER } from '../../access/roles.ts';
import { findHeldRepository } from '../../access/site-scope.ts';
import { type Caller, NOBODY } from '../../identity/caller.ts';
import { identify } from '../../identity/credentials.ts';
import type { Placed } from '../../repositories/repository.ts';
import { clockSkewed, HttpRefusal, unauthorized } from '../refusals/refusal.ts';
import { READ_ONLY } from '../refusals/texts.ts';
import { basicCredentials, siteProof } from '../request/credentials.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Rooms } from '../rooms.ts';
import { type Access, type AccessCall, access } from './access.ts';

/** Access of git and LFS clients: HTTP Basic with a token as the password, plain-text refusals (contract/repository.md §5). */

export type GitAction = 'fetch' | 'push';

const FETCH_SCOPES = ['api', 'write_repository', 'read_api', 'read_repository'];
const PUSH_SCOPES = ['api', 'write_repository'];

const text = (status: number, body: string, headers: Record<string, string> = {}) =>
  new HttpRefusal(status, body, headers);
const challenge = (body: string) => text(401, body, { 'WWW-Authenticate': 'Basic realm="Hearth"' });
const denied = () =>
  challenge(
    'HTTP Basic: Access denied. The provided password or token is incorrect or has expired, or your account may not use it.',
  );
/** To whoever has not said who he is. */
export const accessDenied = () => challenge('HTTP Basic: Access denied');
const missing = () =>
  text(404, "The project you were looking for could not be found or you don't have permission to view it.");
const forbidden = (body: string) => text(403, body);

/** What is wanted of the project that `repository_path` names; null: nothing that git knows. */
type WantedBy = (call: AccessCall) => GitAction | null;

/** A git client that may do what it asks for, with the project it asks of. */
export function gitAccess(
  wantedBy: WantedBy,
  who: 'open' | 'user' = 'open',
): Access<{ project: Project; caller: Caller }> {
  return access({
    who,
    label: 'git (Basic)',
    admit: () => {},
    find: (call) => admitted(call, wantedBy),
    allow: () => {},
  });
}

/** What is fetched from: a project's repository by somebody who may read it, or by a site that holds a copy. */
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
    who: 'open',
    label: 'git (Basic) or site',
    admit: () => {},
    async find(call): Promise<Fetched> {
      const proof = siteProof(call.request);
      if (proof !== undefined) return { repository: await heldBySite(call, proof, wantedBy(call)), allRefs: true };
      return { repository: (await admitted(call, wantedBy)).project, allRefs: false };
    },
    allow: () => {},
  });
}

/** What a site may fetch, of the project that the path names. Throws what it is told that wants something else. */
async function heldBySite(
  { rooms, db, request, path }: GitCall,
  proof: string,
  action: GitAction | null,
): Promise<Placed> {
  const { caller, dead } = await identify(rooms, { way: 'site', secret: proof }, request);
  const name = path.repository_path ?? '';
  if (dead !== undefined) throw dead.code === 'skewed' ? clockSkewed() : unauthorized();
  if (caller.site?.enabled !== true || caller.site.data.scope !== name) throw unauthorized();
  if (action !== 'fetch') throw forbidden(action === 'push' ? NO_PUSH : 'Service not supported');
  const repository = await findHeldRepository(db, caller.site.id, name);
  if (repository === null) throw missing();
  return repository;
}

type GitCall = Pick<AccessCall, 'rooms' | 'db' | 'path' | 'request'>;

async function admitted<Call extends GitCall>(
  call: Call,
  wantedBy: (call: Call) => GitAction | null,
): Promise<{ project: Project; caller: Caller }> {
  const action = wantedBy(call);
  const proof = siteProof(call.request);
  if (proof !== undefined) {
    await heldBySite(call, proof, action);
    throw unauthorized();
  }
  const caller = await gitCaller(call);
  if (action === null) throw caller.user === null ? challenge('Access denied') : forbidden('Service not supported');
  const project = await gitProject(call, caller, action);
  checkGitAction(caller, project, action);
  return { project, caller };
}

/** What somebody hears at this moment who may not push: for whoever was let in before, and lost his rights meanwhile. */
export async function whyNoPush(rooms: Rooms, request: Incoming, repository_path: string): Promise<string> {
  try {
    await admitted({ rooms, db: rooms.database.reader, path: { repository_path }, request }, () => 'push');
  } catch (error) {
    if (error instanceof HttpRefusal) return String(error.body);
    throw error;
  }
  return NO_PUSH;
}

const NO_PUSH = 'You are not allowed to push code to this project.';

/** By this name a job comes, whose token is the password then (contract/conventions.md §7 "Job tokens"). */
const JOB_USERNAME = 'gitlab-ci-token';

/** The owner of the token that came as the password; any other user name will do. Nobody without credentials. */
async function gitCaller({ rooms, request }: GitCall): Promise<Caller> {
  const basic = basicCredentials(request);
  if (basic === null) return { ...NOBODY, address: request.clientAddress };
  if (basic.password === '') throw denied();
  const way = basic.username === JOB_USERNAME ? 'job' : 'bearer';
  const identified = await identify(rooms, { way, secret: basic.password }, request);
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

/** Nobody writes by the old path of a project. Throws what the client is told. */
export function checkNotMoved({ baseUrl }: Incoming, project: Project, path: string): void {
  if (path.toLowerCase() === project.full_path.toLowerCase()) return;
  throw text(404, `The project has moved. Its new address is ${baseUrl}/${project.full_path}.git`);
}

/** Anonymous callers fetch what is public and nothing else; what they may not have looks like what is not there. */
function isReachable(caller: Caller, project: Project, action: GitAction): boolean {
  if (!canSeeProject(caller, project)) return false;
  return caller.user !== null || (action === 'fetch' && mayInProject(caller, 'read_code', project));
}

/** May this caller, who sees the project, do it? Throws what the client is told otherwise. */
export function checkGitAction(caller: Caller, project: Project, action: GitAction): void {
  if (caller.user === null && action === 'push') throw accessDenied();
  if (caller.job !== undefined && action === 'push') throw forbidden('You are not allowed to upload code.');
  const scopes = action === 'push' ? PUSH_SCOPES : FETCH_SCOPES;
  if (
    caller.token !== null &&
    caller.job === undefined &&
    !caller.token.scopes.some((scope) => scopes.includes(scope))
  ) {
    throw forbidden(`You are not allowed to ${action === 'push' ? 'upload' : 'download'} code.`);
  }
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
