import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { findRunners, type Runner } from '#authorization/runners.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import { itselfAndAbove } from '#domain/namespaces/hierarchy.ts';
import { groupShowsInstanceRunners, runnersTakenBy } from '#domain/runners/runner-scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { passes, type RunnerFilter } from './filters.ts';

/** Which runners a list is about. */
type Condition = (eb: ExpressionBuilder<Schema, 'runners'>) => Expression<SqlBool>;

interface Listing {
  readonly filter: RunnerFilter;
  readonly page: OffsetRequest;
  /** The present moment. */
  readonly now: string;
}

export const everyRunner: Condition = (eb) => eb.lit(true);

/** One page of these runners, the oldest first. index: runners primary key, runners_by_type */
export async function pageOfRunners(
  db: Reader,
  which: Condition,
  { filter, page, now }: Listing,
): Promise<Page<Runner>> {
  const ids = db
    .selectFrom('runners')
    .select('runners.id')
    .where(which)
    .where(passes(db, filter, now));
  const found = await paged(db, ids.orderBy('runners.id', 'asc'), page);
  return {
    ...found,
    items: await findRunners(
      db,
      found.items.map(({ id }) => id),
    ),
  };
}

/** Those that work for a project (contract/runners.md §1.6). */
export async function runnersOfProject(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<Condition> {
  const { ofGroups, ofInstance } = await runnersTakenBy(db, project.id);
  return (eb) => {
    // index: runner_projects_by_project
    const own = eb
      .selectFrom('runner_projects')
      .select('runner_projects.runner_id as id')
      .where('runner_projects.project_id', '=', project.id);
    const withGroups = ofGroups ? own.unionAll(runnersOfGroupsAbove(db, project.namespace_id)) : own;
    return eb('runners.id', 'in', ofInstance ? withGroups.unionAll(runnersOfInstance(db)) : withGroups);
  };
}

/** Those of a group and of the groups above it, and of the instance unless it hides them (contract/runners.md §1.7). */
export async function runnersOfGroup(db: Reader, { id }: { readonly id: number }): Promise<Condition> {
  const ofInstance = await groupShowsInstanceRunners(db, id);
  return (eb) => {
    const ofGroups = runnersOfGroupsAbove(db, id);
    return eb('runners.id', 'in', ofInstance ? ofGroups.unionAll(runnersOfInstance(db)) : ofGroups);
  };
}

/** index: namespace_closure_pkey, runners_by_group */
function runnersOfGroupsAbove(db: Reader, namespaceId: number) {
  return db
    .selectFrom('runners as of_group')
    .select('of_group.id as id')
    .where('of_group.group_id', 'in', itselfAndAbove(db, namespaceId).select('namespaces.id'));
}

/** index: runners_by_type */
function runnersOfInstance(db: Reader) {
  return db
    .selectFrom('runners as of_instance')
    .select('of_instance.id as id')
    .where('of_instance.runner_type', '=', 'instance_type');
}
