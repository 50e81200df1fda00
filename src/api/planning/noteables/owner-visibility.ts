import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { groupVisibleTo, projectVisibleTo } from '#authorization/visibility.ts';
import type { Schema } from '#database/database.ts';

/**
 * Matches labels or milestones whose project or group the caller can see. After a transfer, events may still refer to those of
 * the former group. Scalar subqueries, because PostgreSQL would run EXISTS for every visible project and group at once.
 * index: projects primary key, namespaces primary key
 */
export function labelOrMilestoneVisibleTo(
  table: 'labels' | 'milestones',
  caller: Caller,
  today: string,
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, never>();
  const project = eb
    .selectFrom('projects')
    .select('projects.id')
    .where('projects.id', '=', sql.ref<number>(`${table}.project_id`))
    .where(projectVisibleTo(caller, today))
    .limit(1);
  const group = eb
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', '=', sql.ref<number>(`${table}.group_id`))
    .where(groupVisibleTo(caller, today))
    .limit(1);
  return eb.or([eb(project, 'is not', null), eb(group, 'is not', null)]);
}
