import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { IdOrKeyword, IssuableListScope, ListCondition } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';

/** Filters by the iteration of an issue: by id, by title, or current (contract/planning.md §3.6). */
export interface IterationFilter {
  readonly iteration_id?: IdOrKeyword | 'Current' | null | undefined;
  readonly iteration_title?: string | null | undefined;
}

/** Returns the conditions of the iteration filters. index: issues_by_iteration, issues_by_project_iteration */
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
  const isInProject = scope.project === null ? sql`1 = 1` : sql`candidate.project_id = ${scope.project.id}`;
  const ids = sql`select candidate.id from issues as candidate where ${isInProject} and ${condition(sql.ref('candidate.iteration_id'))}`;
  return { predicate: condition(sql.ref('issues.iteration_id')), ids };
}

/** Selects the ids of iterations with this title. index: iterations_by_title */
const selectByTitle = (title: string) =>
  sql`select iteration.id from iterations as iteration where iteration.title = ${title}`;

/** Selects the ids of the current iterations: of the project's ancestor groups, or of all groups. index: iterations_by_iid, iterations_by_due_date */
function selectCurrent({ project }: IssuableListScope, today: string): RawBuilder<unknown> {
  const currentIds = sql`select iteration.id from iterations as iteration where iteration.start_date <= ${today} and iteration.due_date >= ${today}`;
  if (project === null) return currentIds;
  const ancestorIds = sql`select ancestors.ancestor_id from namespace_closure as ancestors where ancestors.descendant_id = ${project.namespace_id}`;
  return sql`${currentIds} and iteration.group_id in (${ancestorIds})`;
}
