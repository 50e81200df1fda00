import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { type GroupAbilityName, mayInGroup, mayInProject, type ProjectAbilityName } from '#authorization/abilities.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { canSeeProject, findMovedProject, findProject, type Project } from '#domain/namespaces/projects.ts';
import { forbidden, HttpError, notFound, unauthorized } from '../errors/http-error.ts';
import type { Incoming } from '../request/incoming.ts';
import { type Access, type AccessCall, access, requireSignedIn, signedInCaller } from './access.ts';

/** Access to what lives in a project or group: the parent in the path is loaded, then the ability is asked for. */

/** What a missing ability answers, where it is not 403. */
export interface Otherwise {
  readonly refuse?: (call: AccessCall, project: Project) => unknown;
}

/** Branches and commits of a project whose repository is switched off: 404 (contract/repository.md §0). */
export const orRepositoryGone: Otherwise = {
  refuse: (_call, project) => (project.repository_access_level === 'disabled' ? notFound('Repository') : undefined),
};

async function admit(call: AccessCall): Promise<void> {
  requireSignedIn(call);
  await refuseMovedWrite(call);
}

/** Signed-in callers with this ability in the project `:id`. */
export function inProject(ability: ProjectAbilityName, otherwise: Otherwise = {}): SignedInProject {
  return signedInProject(ability, otherwise, { label: `project:${ability}`, authenticate: admit });
}

/**
 * Writes to branches, tags and protection rules: an anonymous caller learns that a project is not there before he
 * learns that he must sign in (contract/repository.md §0).
 */
export function inRepositoryOf(ability: ProjectAbilityName, otherwise: Otherwise = {}): SignedInProject {
  return signedInProject(ability, otherwise, {
    label: `project:${ability} (404 before 401)`,
    async authenticate(call) {
      if (call.caller.user !== null) return refuseMovedWrite(call);
      await projectOf(call);
      throw unauthorized();
    },
  });
}

type SignedInProject = Access<{ project: Project; caller: SignedInCaller }>;

function signedInProject(
  ability: ProjectAbilityName,
  otherwise: Otherwise,
  admission: Pick<SignedInProject, 'label' | 'authenticate'>,
): SignedInProject {
  return access({
    audience: 'user',
    ...admission,
    load: async (call) => ({ project: await projectOf(call), caller: signedInCaller(call.caller) }),
    authorize: (call, { project }) => allowInProject(ability, otherwise, call, project),
  });
}

/** Anybody with this ability, the public where the project is open to it. */
export function inPublicProject(
  ability: ProjectAbilityName,
  otherwise: Otherwise = {},
): Access<{ project: Project; caller: Caller }> {
  return access({
    audience: 'open',
    label: `project:${ability} (public)`,
    authenticate: refuseMovedWrite,
    load: async (call) => ({ project: await projectOf(call), caller: call.caller }),
    authorize: (call, { project }) => allowInProject(ability, otherwise, call, project),
  });
}

/** Whoever sees the project: the public too, or users only. */
export function projectOpenTo(callers: 'anybody' | 'users'): Access<{ project: Project; caller: Caller }> {
  return callers === 'anybody' ? inPublicProject('read_project') : inProject('read_project');
}

function allowInProject(ability: ProjectAbilityName, otherwise: Otherwise, call: AccessCall, project: Project): void {
  if (mayInProject(call.caller, ability, project)) return;
  throw otherwise.refuse?.(call, project) ?? forbidden();
}

/** The project that `:id` names, when the caller may see it; an old path is answered as contract/conventions.md §2 says. */
export async function projectOf(call: AccessCall, name = 'id'): Promise<Project> {
  const { db, caller, path } = call;
  const id = path[name] ?? '';
  const project = await findProject(db, caller, id);
  if (project !== null && canSeeProject(caller, project)) return project;
  if (project === null && id.includes('/')) await refuseMoved(call, id);
  if (project !== null && caller.job !== undefined && project.visibility === 'private') {
    throw forbidden(
      `Authentication by CI/CD job token not allowed from ${caller.job.projectPath} to project #${project.id}.`,
    );
  }
  throw notFound('Project');
}

/** Nobody writes by an old path: whoever may read the project hears that before his parameters are looked at. */
async function refuseMovedWrite(call: AccessCall): Promise<void> {
  const id = call.path.id ?? '';
  if (!isRead(call.request) && id.includes('/')) await refuseMoved(call, id);
}

const isRead = ({ method }: Incoming) => method === 'GET' || method === 'HEAD';

async function refuseMoved({ db, caller, request }: AccessCall, oldPath: string): Promise<void> {
  const project = await findMovedProject(db, caller, oldPath);
  if (project === null || !canSeeProject(caller, project)) return;
  if (!isRead(request)) {
    throw new HttpError(405, { message: 'Non GET methods are not allowed for moved projects' });
  }
  // The project's :id is the segment behind /api/v4/projects, in whatever form these came; the rest stays as it was sent.
  const path = request.path.replace(/^((?:\/+[^/]+){3}\/+)[^/]+/, `$1${project.id}`);
  const location = `${request.baseUrl}${path}${request.query === '' ? '' : `?${request.query}`}`;
  throw new HttpError(301, `This resource has been moved permanently to ${location}`, { Location: location });
}

/** Signed-in callers with this ability in the group `:id`. */
export function inGroup(ability: GroupAbilityName): Access<{ group: Group; caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: `group:${ability}`,
    authenticate: requireSignedIn,
    load: async (call) => ({ group: await groupOf(call), caller: signedInCaller(call.caller) }),
    authorize: (call, { group }) => allowInGroup(ability, call, group),
  });
}

/** The same, open to the public where the group is. */
export function inPublicGroup(ability: GroupAbilityName): Access<{ group: Group; caller: Caller }> {
  return access({
    audience: 'open',
    label: `group:${ability} (public)`,
    authenticate: () => {},
    load: async (call) => ({ group: await groupOf(call), caller: call.caller }),
    authorize: (call, { group }) => allowInGroup(ability, call, group),
  });
}

function allowInGroup(ability: GroupAbilityName, { caller }: AccessCall, group: Group): void {
  if (!mayInGroup(caller, ability, group)) throw forbidden();
}

export async function groupOf({ db, caller, path }: AccessCall, name = 'id'): Promise<Group> {
  const group = await findGroup(db, caller, path[name] ?? '');
  if (group !== null && canSeeGroup(caller, group)) return group;
  throw notFound('Group');
}
