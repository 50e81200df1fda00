import { mayReadRunner } from '../../../access/runners.ts';
import { signedIn } from '../../../http/access/access.ts';
import { created, listOf, shown } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, type Rule, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, oneOf } from '../../../http/parameters/types.ts';
import { inRunner } from './access.ts';
import { contentParams } from './content.ts';
import { createRunner as create } from './create.ts';
import { RunnerDetail, RunnerManager, RunnerWithToken } from './entities.ts';
import { managersOf } from './managers.ts';

export * from './protocol-endpoints.ts';
export * from './token-endpoints.ts';

/** A group's or project's runner names its group or project. */
const placeNamed: Rule = (given, problems) => {
  if (given.runner_type === 'group_type' && given.group_id == null) problems.add('group_id is missing');
  if (given.runner_type === 'project_type' && given.project_id == null) problems.add('project_id is missing');
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
  rules: [placeNamed],
  refuses: {
    notPermitted: [403, '403 Forbidden - Insufficient permissions'],
    noGroup: [400, '400 Bad request - Missing/invalid group'],
    noProject: [400, '400 Bad request - Missing/invalid project'],
    wrong: [400, '400 Bad request - {sentence}'],
  },
  records: ['ci_runner_created'],
  answer: created(RunnerWithToken),
  write: (act, { params }) => create(act, params),
});

/** contract/runners.md §1.2 */
export const readRunner = endpoint({
  get: '/runners/:id',
  summary: 'Read a runner',
  access: inRunner(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  params: { include_projects: optional(boolean, true) },
  answer: shown(RunnerDetail),
  read: (_db, { runner }) => runner,
});

/** contract/runners.md §2.4 */
export const listRunnerManagers = endpoint({
  get: '/runners/:id/managers',
  summary: 'List the machines on which a runner runs',
  access: inRunner(mayReadRunner, 'read'),
  scopes: ['manage_runner'],
  answer: listOf(RunnerManager),
  read: (db, { runner }) => managersOf(db, runner.id),
});
