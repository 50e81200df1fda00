import { ProjectForCaller } from '#api/namespaces/projects/index.ts';
import { findRunner, mayReadRunner, mayUpdateRunner, runnerManagedBy } from '#authorization/runners.ts';
import { type AccessCall, administratorAfterParameters, signedIn } from '#http/access/access.ts';
import { inGroup, inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { genericNotFound, notFound } from '#http/errors/http-error.ts';
import {
  atLeastOne,
  describe,
  mutuallyExclusive,
  optional,
  type ParameterRule,
  required,
} from '#http/parameters/declarations.ts';
import { boolean, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { mayDeleteRunnerOrThrow, runnerAccess } from './access.ts';
import {
  updateRunner as applyRunnerUpdate,
  assignRunner as assignRunnerToProject,
  createRunner as createRunnerForUser,
  deleteRunner as deleteRunnerAndRecord,
  unassignRunner as unassignRunnerFromProject,
} from './changes.ts';
import { Runner, RunnerDetail, RunnerManager, RunnerWithToken } from './entities.ts';
import {
  allRunnersCondition,
  buildGroupRunnerCondition,
  buildProjectRunnerCondition,
  filterParams,
  isTypeScope,
  listProjectsOfRunner,
  listRunnersWhere,
  scopedFilterParams,
} from './list.ts';
import { listManagers } from './managers.ts';
import { findRunnerInProject } from './store.ts';
import { contentParams } from './validation.ts';

export * from './registration-endpoints.ts';

/** A group or project runner must name its group or project; invalid numbers count as missing. */
const requireGroupOrProjectId: ParameterRule = ({ runner_type, group_id, project_id }, problems) => {
  const isPresent = (id: unknown) => id !== undefined && id !== null && id !== '';
  if (runner_type === 'group_type' && !isPresent(group_id)) problems.add('group_id is missing');
  if (runner_type === 'project_type' && !isPresent(project_id)) problems.add('project_id is missing');
};

/** contract/runners.md §2.1 */
export const createRunner = endpoint({
  post: '/user/runners',
  summary: 'Create a runner',
  description:
    'Creates a runner for the instance, a group or a project, with the caller as its creator. The response has the token, which cannot be read later: only its hash is stored. Each machine that uses the token appears as a manager of the runner.',
  access: signedIn(),
  scopes: ['create_runner'],
  params: {
    runner_type: required(oneOf('instance_type', 'group_type', 'project_type')),
    group_id: describe(optional(integer), 'Id of the group; required for `group_type`.'),
    project_id: describe(optional(integer), 'Id of the project; required for `project_type`.'),
    ...contentParams,
  },
  rules: [requireGroupOrProjectId],
  errors: {
    notPermitted: [403, '403 Forbidden - Insufficient permissions'],
    noGroup: [400, '400 Bad request - Missing/invalid group'],
    noProject: [400, '400 Bad request - Missing/invalid project'],
    invalidAttributes: [400, '400 Bad request - {sentence}'],
  },
  activity: ['ci_runner_created'],
  response: created(RunnerWithToken),
  write: (uow, { params }) => createRunnerForUser(uow, params),
});

/** contract/runners.md §1.2 */
export const getRunner = endpoint({
  get: '/runners/:id',
  summary: 'Get a runner',
  description:
    '`version`, `platform` and similar fields are those of the manager with the latest contact. `projects` and `groups` contain only those with the caller as a member.',
  access: runnerAccess(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  params: { include_projects: describe(optional(boolean, true), 'Whether to include `projects`.') },
  response: ok(RunnerDetail),
  read: (_db, { runner }) => runner,
});

/** contract/runners.md §2.4 */
export const listRunnerManagers = endpoint({
  get: '/runners/:id/managers',
  summary: 'List the managers of a runner',
  description:
    'Returns the machines that run jobs as this runner, oldest first, without pagination. A machine without contact for seven days is deleted.',
  access: runnerAccess(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  response: list(RunnerManager),
  read: (db, { runner }) => listManagers(db, runner.id),
});

/** contract/runners.md §1.3 */
export const updateRunner = endpoint({
  put: '/runners/:id',
  summary: 'Update a runner',
  description:
    'At least one parameter is required. Running jobs continue, also when the runner is paused. The runner asks for jobs again after the change.',
  access: runnerAccess(mayUpdateRunner, 'update'),
  scopes: ['manage_runner'],
  params: { ...contentParams, active: describe(optional(boolean), 'Deprecated: the opposite of `paused`.') },
  rules: [
    mutuallyExclusive('active', 'paused'),
    atLeastOne(
      'description',
      'active',
      'paused',
      'tag_list',
      'run_untagged',
      'locked',
      'access_level',
      'maximum_timeout',
      'maintenance_note',
    ),
  ],
  errors: { invalid: INVALID },
  response: ok(RunnerDetail),
  write: (uow, { runner, params: { active, ...params } }) =>
    applyRunnerUpdate(uow, runner, { ...params, paused: params.paused ?? (active == null ? null : !active) }),
});

/** contract/runners.md §1.4 */
export const deleteRunner = endpoint({
  delete: '/runners/:id',
  summary: 'Delete a runner',
  description:
    'Deletes the runner and its managers; its token is rejected from then on. Its running jobs continue. Only administrators can delete a runner that is assigned to several projects.',
  access: runnerAccess(mayDeleteRunnerOrThrow, 'delete'),
  scopes: ['manage_runner'],
  lastModified: ({ runner }) => runner.updated_at,
  activity: ['ci_runner_unregistered'],
  response: noContent,
  write: (uow, { runner }) => deleteRunnerAndRecord(uow, runner),
});

/** contract/runners.md §2.5 */
export const listRunnerProjects = endpoint({
  get: '/runners/:id/projects',
  summary: 'List the projects of a runner',
  description:
    'Returns the projects to which the runner is assigned and that the caller can see; empty for group and instance runners.',
  access: runnerAccess(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  response: page(ProjectForCaller),
  read: (db, { caller, runner, page }) => listProjectsOfRunner(db, caller, runner, page),
});

/** contract/runners.md §1.1 */
export const listRunners = endpoint({
  get: '/runners',
  summary: "List the runners of the caller's projects and groups",
  description:
    'Returns the runners of projects that the caller maintains and of groups that they own, oldest first. Instance runners are never included.',
  access: signedIn(),
  params: scopedFilterParams,
  errors: { invalidScope: [400, 'Scope contains invalid value'] },
  response: page(Runner),
  read(db, { caller, params: filter, page, base }) {
    // Unlike the other lists, this one accepts only statuses as the scope.
    if (isTypeScope(filter.scope)) return fail('invalidScope');
    return listRunnersWhere(db, runnerManagedBy(caller.user.id, db.today), { filter, page, now: base.now });
  },
});

/** contract/runners.md §1.1 */
export const listAllRunners = endpoint({
  get: '/runners/all',
  summary: 'List all runners',
  description: 'Returns the runners of the whole instance, oldest first.',
  access: administratorAfterParameters(),
  params: scopedFilterParams,
  response: page(Runner),
  read: (db, { params: filter, page, base }) =>
    listRunnersWhere(db, allRunnersCondition, { filter, page, now: base.now }),
});

/** contract/runners.md §1.6 */
export const listProjectRunners = endpoint({
  get: '/projects/:id/runners',
  summary: 'List the runners of a project',
  description:
    'Returns the runners that may take jobs of the project: its own runners, and group and instance runners if the project uses them.',
  access: inProject('admin_runner'),
  params: scopedFilterParams,
  response: page(Runner),
  read: async (db, { project, params: filter, page, base }) =>
    listRunnersWhere(db, await buildProjectRunnerCondition(db, project), { filter, page, now: base.now }),
});

/** contract/runners.md §1.7 */
export const listGroupRunners = endpoint({
  get: '/groups/:id/runners',
  summary: 'List the runners of a group',
  description:
    'Returns the runners of the group and its ancestors, and the instance runners if the group uses them. Runners of projects and subgroups are not included.',
  access: inGroup('read_runner'),
  params: filterParams,
  response: page(Runner),
  read: async (db, { group, params: filter, page, base }) =>
    listRunnersWhere(db, await buildGroupRunnerCondition(db, group), { filter, page, now: base.now }),
});

// contract/runners.md §1.6

const NO_ACCESS = [403, '403 Forbidden - No access granted'] as const;
const LOCKED = [403, '403 Forbidden - Runner is locked'] as const;

export const assignRunner = endpoint({
  post: '/projects/:id/runners',
  summary: 'Assign a runner to a project',
  description:
    'Assigns a project runner to a further project. The caller must also be allowed to update the runner; locked runners can be assigned only by administrators. A project has at most 1000 runners.',
  access: inProject('admin_runner').resource({
    name: 'runner',
    params: { runner_id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly runner_id: number }>) => findRunner(db, params.runner_id),
    notFound: genericNotFound,
  }),
  errors: {
    isGroupRunner: [403, '403 Forbidden - Runner is a group runner'],
    locked: LOCKED,
    notPermitted: NO_ACCESS,
    isInstanceRunner: [400, '400 Bad request - Runner is an instance runner'],
    alreadyAssigned: [400, '400 Bad request - Runner has already been assigned to this project'],
    tooManyRunners: [400, '400 Bad request - Maximum number of project runners (1000) exceeded'],
  },
  uniqueErrors: { runner_projects_by_runner: 'alreadyAssigned' },
  activity: ['ci_runner_assigned_to_project'],
  response: created(Runner),
  write: (uow, { project, runner }) => assignRunnerToProject(uow, project, runner),
});

export const unassignRunner = endpoint({
  delete: '/projects/:id/runners/:runner_id',
  summary: 'Unassign a runner from a project',
  description:
    'The runner can no longer take jobs of the project. It cannot be unassigned from its owner, which is the first project it was assigned to.',
  access: inProject('admin_runner').resource({
    name: 'runner',
    params: { runner_id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly runner_id: number }>, { project }) =>
      findRunnerInProject(db, project.id, params.runner_id),
    notFound: () => notFound('Runner'),
  }),
  lastModified: ({ runner }) => runner.updated_at,
  errors: {
    locked: LOCKED,
    notPermitted: NO_ACCESS,
    isOwnerProject: [
      403,
      '403 Forbidden - You cannot unassign a runner from the owner project. Delete the runner instead',
    ],
    notFound: [404, '404 Runner Not Found'],
  },
  activity: ['ci_runner_unassigned_from_project'],
  response: noContent,
  write: (uow, { project, runner }) => unassignRunnerFromProject(uow, project, runner),
});
