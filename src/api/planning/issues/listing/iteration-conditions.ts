import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { IdOrKeyword, IssuableListScope, ListCondition } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';

/** Conditions on the iteration of an issue: by id, by title, or current (contract/planning.md §3.6). */

export interface IterationFilter {
  readonly iteration_id?: IdOrKeyword | 'Current' | null | undefined;
  readonly iteration_title?: string | null | undefined;
}

/** index: issues_by_iteration, issues_by_project_iteration */
export function iterationConditions(
  { today }: Reader,
  scope: IssuableListScope,
  { iteration_id: id, iteration_title: title }: IterationFilter,
): ListCondition[] {
  const conditions: ListCondition[] = [];
  if (id != null) conditions.push(iterationIdCondition(scope, id, today));
  if (title != null)
    conditions.push(iterationCondition(scope, (column) => sql`${column} in (${selectByTitle(title)})`));
  return conditions;
}

function iterationIdCondition(scope: IssuableListScope, id: IdOrKeyword | 'Current', today: string): ListCondition {
  // Most issues have no iteration, so there is no id subquery.
  if (id === 'None') return { predicate: sql<SqlBool>`issues.iteration_id is null` };
  return iterationCondition(scope, (column) => {
    if (id === 'Any') return sql`${column} is not null`;
    return id === 'Current' ? sql`${column} in (${selectCurrent(scope, today)})` : sql`${column} = ${id}`;
  });
}

function iterationCondition(
  scope: IssuableListScope,
  condition: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>,
): ListCondition {
  const inProject = scope.project === null ? sql`1 = 1` : sql`one.project_id = ${scope.project.id}`;
  const ids = sql`select one.id from issues as one where ${inProject} and ${condition(sql.ref('one.iteration_id'))}`;
  return { predicate: condition(sql.ref('issues.iteration_id')), ids };
}

/** index: iterations_by_title */
const selectByTitle = (title: string) => sql`select meant.id from iterations as meant where meant.title = ${title}`;

/** Selects the current iterations: those of the project's ancestor groups, or all that are not over. index: iterations_by_iid, iterations_by_due_date */
function selectCurrent({ project }: IssuableListScope, today: string): RawBuilder<unknown> {
  const now = sql`select meant.id from iterations as meant where meant.start_date <= ${today} and meant.due_date >= ${today}`;
  if (project === null) return now;
  const ancestorIds = sql`select up.ancestor_id from namespace_closure as up where up.descendant_id = ${project.namespace_id}`;
  return sql`${now} and meant.group_id in (${ancestorIds})`;
}
