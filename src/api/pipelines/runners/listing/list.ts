import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findRunners, type Runner } from '#authorization/runners.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import { groupListsInstanceRunners, loadAllowedRunners } from '#domain/runners/runner-scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { matchesFilter, type RunnerFilter } from './filters.ts';

/** Condition for the runners that a list may contain. */
type RunnerCondition = (eb: ExpressionBuilder<Schema, 'runners'>) => Expression<SqlBool>;

interface RunnerListRequest {
  readonly filter: RunnerFilter;
  readonly page: OffsetRequest;
  /** The current time. */
  readonly now: string;
}

export const allRunners: RunnerCondition = (eb) => eb.lit(true);

/** Returns one page of these runners, the oldest first. index: runners primary key, runners_by_type */
export async function listRunnersWhere(
  db: Reader,
  condition: RunnerCondition,
  { filter, page, now }: RunnerListRequest,
): Promise<Page<Runner>> {
  const ids = db
    .selectFrom('runners')
    .select('runners.id')
    .where(condition)
    .where(matchesFilter(db, filter, now));
  const result = await paginate(db, ids.orderBy('runners.id', 'asc'), page);
  return {
    ...result,
    items: await findRunners(
      db,
      result.items.map(({ id }) => id),
    ),
  };
}

/** Builds the condition for the runners that are available to a project (contract/runners.md §1.6). */
export async function buildProjectRunnerCondition(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<RunnerCondition> {
  const { ofGroups, ofInstance } = await loadAllowedRunners(db, project.id);
  return (eb) => {
    // index: runner_projects_by_project
    const ownRunnerIds = eb
      .selectFrom('runner_projects')
      .select('runner_projects.runner_id as id')
      .where('runner_projects.project_id', '=', project.id);
    const runnerIds = ofGroups ? ownRunnerIds.unionAll(selectRunnersOfGroups(db, project.namespace_id)) : ownRunnerIds;
    return eb('runners.id', 'in', ofInstance ? runnerIds.unionAll(selectInstanceRunners(db)) : runnerIds);
  };
}

/**
 * Builds the condition for runners of a group, its ancestors and, unless disabled, the instance
 * (contract/runners.md §1.7).
 */
export async function buildGroupRunnerCondition(db: Reader, { id }: { readonly id: number }): Promise<RunnerCondition> {
  const includesInstance = await groupListsInstanceRunners(db, id);
  return (eb) => {
    const groupRunnerIds = selectRunnersOfGroups(db, id);
    return eb(
      'runners.id',
      'in',
      includesInstance ? groupRunnerIds.unionAll(selectInstanceRunners(db)) : groupRunnerIds,
    );
  };
}

/** Selects runners of a group and its ancestors. index: namespace_closure_pkey, runners_by_group */
function selectRunnersOfGroups(db: Reader, namespaceId: number) {
  return db
    .selectFrom('runners as group_runners')
    .select('group_runners.id as id')
    .where('group_runners.group_id', 'in', selectSelfAndAncestors(db, namespaceId).select('namespaces.id'));
}

/** Selects instance runners. index: runners_by_type */
function selectInstanceRunners(db: Reader) {
  return db
    .selectFrom('runners as instance_runners')
    .select('instance_runners.id as id')
    .where('instance_runners.runner_type', '=', 'instance_type');
}
