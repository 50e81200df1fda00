import { runnerManagedBy } from '#authorization/runners.ts';
import { administratorAfterParameters, signedIn } from '#http/access/access.ts';
import { inGroup, inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { fail } from '#runtime/failure.ts';
import { Runner } from '../entities.ts';
import { filterParams, isTypeScope, scopedFilterParams } from './filters.ts';
import { allRunners, buildGroupRunnerCondition, buildProjectRunnerCondition, listRunnersWhere } from './list.ts';

/** contract/runners.md §1.1 */
export const listRunners = endpoint({
  get: '/runners',
  summary: "List the runners of the caller's projects and groups",
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
  access: administratorAfterParameters(),
  params: scopedFilterParams,
  response: page(Runner),
  read: (db, { params: filter, page, base }) => listRunnersWhere(db, allRunners, { filter, page, now: base.now }),
});

/** contract/runners.md §1.6 */
export const listProjectRunners = endpoint({
  get: '/projects/:id/runners',
  summary: 'List the runners of a project',
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
  access: inGroup('read_runner'),
  params: filterParams,
  response: page(Runner),
  read: async (db, { group, params: filter, page, base }) =>
    listRunnersWhere(db, await buildGroupRunnerCondition(db, group), { filter, page, now: base.now }),
});
