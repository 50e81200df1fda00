import { ProjectForCaller } from '#api/namespaces/projects/index.ts';
import { mayReadRunner, mayUpdateRunner } from '#authorization/runners.ts';
import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import {
  atLeastOne,
  mutuallyExclusive,
  optional,
  type ParameterRule,
  required,
} from '#http/parameters/declarations.ts';
import { boolean, integer, oneOf } from '#http/parameters/types.ts';
import { mayDeleteRunnerOrThrow, runnerAccess } from './access.ts';
import {
  updateRunner as applyRunnerUpdate,
  createRunner as createRunnerForUser,
  deleteRunner as deleteRunnerAndRecord,
} from './changes.ts';
import { RunnerDetail, RunnerManager, RunnerWithToken } from './entities.ts';
import { listManagers } from './managers/managers.ts';
import { listProjectsOfRunner } from './projects/groups-and-projects.ts';
import { contentParams } from './validation.ts';

export * from './listing/endpoints.ts';
export * from './projects/endpoints.ts';
export * from './registration/endpoints.ts';
export * from './registration/token-endpoints.ts';

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
  access: signedIn(),
  scopes: ['create_runner'],
  params: {
    runner_type: required(oneOf('instance_type', 'group_type', 'project_type')),
    group_id: optional(integer),
    project_id: optional(integer),
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
  access: runnerAccess(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  params: { include_projects: optional(boolean, true) },
  response: ok(RunnerDetail),
  read: (_db, { runner }) => runner,
});

/** contract/runners.md §2.4 */
export const listRunnerManagers = endpoint({
  get: '/runners/:id/managers',
  summary: 'List the managers of a runner',
  access: runnerAccess(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  response: list(RunnerManager),
  read: (db, { runner }) => listManagers(db, runner.id),
});

/** contract/runners.md §1.3 */
export const updateRunner = endpoint({
  put: '/runners/:id',
  summary: 'Update a runner',
  access: runnerAccess(mayUpdateRunner, 'update'),
  scopes: ['manage_runner'],
  params: { ...contentParams, active: optional(boolean) },
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
  access: runnerAccess(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  response: page(ProjectForCaller),
  read: (db, { caller, runner, page }) => listProjectsOfRunner(db, caller, runner, page),
});
