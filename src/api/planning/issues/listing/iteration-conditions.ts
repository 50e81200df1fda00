import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Condition, IdOrWord, Range } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';

/** The conditions on the iteration of an issue (contract/planning.md §3.6): by its id, by its title, or whether today is a day of it. */

export interface IterationFilter {
  readonly iteration_id?: IdOrWord | 'Current' | null | undefined;
  readonly iteration_title?: string | null | undefined;
}

/** index: issues_by_iteration, issues_by_project_iteration */
export function iterationConditions(
  { today }: Reader,
  range: Range,
  { iteration_id: id, iteration_title: title }: IterationFilter,
): Condition[] {
  const conditions: Condition[] = [];
  if (id != null) conditions.push(byIdOrWord(range, id, today));
  if (title != null) conditions.push(byIteration(range, (column) => sql`${column} in (${titled(title)})`));
  return conditions;
}

function byIdOrWord(range: Range, id: IdOrWord | 'Current', today: string): Condition {
  // Those without one are most, and no index tells them.
  if (id === 'None') return { holds: sql<SqlBool>`issues.iteration_id is null` };
  return byIteration(range, (column) => {
    if (id === 'Any') return sql`${column} is not null`;
    return id === 'Current' ? sql`${column} in (${current(range, today)})` : sql`${column} = ${id}`;
  });
}

function byIteration(range: Range, condition: (column: RawBuilder<unknown>) => RawBuilder<SqlBool>): Condition {
  const here = range.project === null ? sql`1 = 1` : sql`one.project_id = ${range.project.id}`;
  const ids = sql`select one.id from issues as one where ${here} and ${condition(sql.ref('one.iteration_id'))}`;
  return { holds: condition(sql.ref('issues.iteration_id')), ids };
}

/** index: iterations_by_title */
const titled = (title: string) => sql`select meant.id from iterations as meant where meant.title = ${title}`;

/** Of a project few can be, of all projects those that are not over are looked through. index: iterations_by_iid, iterations_by_due_date */
function current({ project }: Range, today: string): RawBuilder<unknown> {
  const now = sql`select meant.id from iterations as meant where meant.start_date <= ${today} and meant.due_date >= ${today}`;
  if (project === null) return now;
  const above = sql`select up.ancestor_id from namespace_closure as up where up.descendant_id = ${project.namespace_id}`;
  return sql`${now} and meant.group_id in (${above})`;
}
