import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { type GroupAbilityName, mayInGroup, mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { canSeeProject, findMovedProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import type { ErrorTable } from '../errors/error-messages.ts';
import { forbidden, HttpError, notFound, unauthorized } from '../errors/http-error.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import { type Access, type AccessCall, access, requireSignedIn, requireSignedInCaller } from './access.ts';

/** Access to resources of a project or group: loads the parent in the path, then checks the ability. */

interface ProjectAccessOptions {
  /** Returns the error for a missing ability, or undefined for the default, 403. */
  readonly createDeniedError?: (call: AccessCall, project: Project) => unknown;
}

/** Branches and commits of a project with a disabled repository answer 404 (contract/repository.md §0). */
export const repositoryNotFoundIfDisabled: ProjectAccessOptions = {
  createDeniedError: (_call, project) =>
    project.repository_access_level === 'disabled' ? notFound('Repository') : undefined,
};

/** Errors of requests to the old path of a project. */
const MOVED_ERRORS = {
  movedRead: [301, 'This resource has been moved permanently to {location}', { Location: '{location}' }],
  movedWrite: [405, { message: 'Non GET methods are not allowed for moved projects' }],
} as const satisfies ErrorTable;

async function authenticateWriter(call: AccessCall): Promise<void> {
  requireSignedIn(call);
  await rejectMovedWrite(call);
}

/** Allows signed-in callers with this ability in the project `:id`. */
export function inProject(ability: ProjectAbilityName, options: ProjectAccessOptions = {}): SignedInProject {
  return createSignedInProjectAccess(ability, options, {
    label: `project:${ability}`,
    authenticate: authenticateWriter,
  });
}

/**
 * Access for writes to branches, tags and protection rules: anonymous callers get 404 for a missing project before 401
 * (contract/repository.md §0).
 */
export function inProjectRepository(ability: ProjectAbilityName, options: ProjectAccessOptions = {}): SignedInProject {
  return createSignedInProjectAccess(ability, options, {
    label: `project:${ability} (404 before 401)`,
    async authenticate(call) {
      if (call.caller.user !== null) return rejectMovedWrite(call);
      await loadVisibleProject(call);
      throw unauthorized();
    },
  });
}

type SignedInProject = Access<{ project: Project; caller: SignedInCaller }>;

function createSignedInProjectAccess(
  ability: ProjectAbilityName,
  options: ProjectAccessOptions,
  overrides: Pick<SignedInProject, 'label' | 'authenticate'>,
): SignedInProject {
  return access({
    audience: 'user',
    ...overrides,
    load: async (call) => ({ project: await loadVisibleProject(call), caller: requireSignedInCaller(call.caller) }),
    authorize: (call, { project }) => requireAbilityInProject(ability, options, call, project),
  }).withErrors(MOVED_ERRORS);
}

/** Allows callers with this ability in the project `:id`; anonymous callers if the project is public. */
export function inProjectAllowingAnonymous(
  ability: ProjectAbilityName,
  options: ProjectAccessOptions = {},
): Access<{ project: Project; caller: Caller }> {
  return access({
    audience: 'open',
    label: `project:${ability} (public)`,
    authenticate: rejectMovedWrite,
    load: async (call) => ({ project: await loadVisibleProject(call), caller: call.caller }),
    authorize: (call, { project }) => requireAbilityInProject(ability, options, call, project),
  }).withErrors(MOVED_ERRORS);
}

/** Allows callers who can see the project: anonymous ones too, or signed-in users only. */
export function inVisibleProject(callers: 'anybody' | 'users'): Access<{ project: Project; caller: Caller }> {
  return callers === 'anybody' ? inProjectAllowingAnonymous('read_project') : inProject('read_project');
}

function requireAbilityInProject(
  ability: ProjectAbilityName,
  options: ProjectAccessOptions,
  call: AccessCall,
  project: Project,
): void {
  if (mayInProject(call.caller, ability, project)) return;
  throw options.createDeniedError?.(call, project) ?? forbidden();
}

/** Returns the project in the path if the caller can see it, else throws 404. Old paths: see contract/conventions.md §2. */
export async function loadVisibleProject(call: AccessCall, parameter = 'id'): Promise<Project> {
  const { db, caller, path } = call;
  const id = path[parameter] ?? '';
  const project = await findProject(db, caller, id);
  if (project !== null && canSeeProject(caller, project)) return project;
  if (project === null && id.includes('/')) await throwIfMoved(call, id);
  // Only jobs learn that a private project exists (contract/conventions.md §7 "Job tokens").
  if (project !== null && caller.job !== undefined && project.visibility === 'private') {
    throw forbidden(
      `Authentication by CI/CD job token not allowed from ${caller.job.projectPath} to project #${project.id}.`,
    );
  }
  throw notFound('Project');
}

/** Rejects writes to an old path with 405, before parameters are validated, if the caller can see the project. */
async function rejectMovedWrite(call: AccessCall): Promise<void> {
  const id = call.path.id ?? '';
  if (!isRead(call.request) && id.includes('/')) await throwIfMoved(call, id);
}

const isRead = ({ method }: IncomingRequest) => method === 'GET' || method === 'HEAD';

/** Throws 301 for a read and 405 for a write, if this is the old path of a project that the caller can see. */
async function throwIfMoved({ db, caller, request }: AccessCall, oldPath: string): Promise<void> {
  const project = await findMovedProject(db, caller, oldPath);
  if (project === null || !canSeeProject(caller, project)) return;
  if (!isRead(request)) throw new HttpError(...MOVED_ERRORS.movedWrite);
  // The project's :id is the segment after /api/v4/projects, with any number of slashes; the rest is kept as sent. Pages
  // have the project's path before `/-/`.
  const path = request.path.startsWith('/api/')
    ? request.path.replace(/^((?:\/+[^/]+){3}\/+)[^/]+/, `$1${project.id}`)
    : request.path.replace(/^.*?(?=\/-\/)/, `/${project.full_path}`);
  const location = `${request.baseUrl}${path}${request.query === '' ? '' : `?${request.query}`}`;
  throw new HttpError(301, `This resource has been moved permanently to ${location}`, { Location: location });
}

/** Allows signed-in callers with this ability in the group `:id`. */
export function inGroup(ability: GroupAbilityName): Access<{ group: Group; caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: `group:${ability}`,
    authenticate: requireSignedIn,
    load: async (call) => ({ group: await loadVisibleGroup(call), caller: requireSignedInCaller(call.caller) }),
    authorize: (call, { group }) => requireAbilityInGroup(ability, call, group),
  });
}

/** Allows callers with this ability in the group `:id`; anonymous callers if the group is public. */
export function inGroupAllowingAnonymous(ability: GroupAbilityName): Access<{ group: Group; caller: Caller }> {
  return access({
    audience: 'open',
    label: `group:${ability} (public)`,
    authenticate: () => {},
    load: async (call) => ({ group: await loadVisibleGroup(call), caller: call.caller }),
    authorize: (call, { group }) => requireAbilityInGroup(ability, call, group),
  });
}

function requireAbilityInGroup(ability: GroupAbilityName, { caller }: AccessCall, group: Group): void {
  if (!mayInGroup(caller, ability, group)) throw forbidden();
}

/** Returns the group in the path if the caller can see it, else throws 404. */
export async function loadVisibleGroup({ db, caller, path }: AccessCall, parameter = 'id'): Promise<Group> {
  const group = await findGroup(db, caller, path[parameter] ?? '');
  if (group !== null && canSeeGroup(caller, group)) return group;
  throw notFound('Group');
}
