import { type Expression, type SqlBool, sql } from 'kysely';
import type { ActivityAction, ActivityTargetType } from '#database/schema.ts';

/** Values of the `action` filter. */
export const EVENT_ACTIONS = [
  'created',
  'updated',
  'closed',
  'reopened',
  'pushed',
  'commented',
  'merged',
  'joined',
  'left',
  'destroyed',
  'expired',
  'approved',
] as const satisfies readonly ActivityAction[];

/** Values of the `target_type` filter. */
export const EVENT_TARGETS = [
  'issue',
  'milestone',
  'merge_request',
  'note',
  'project',
  'snippet',
  'user',
  'wiki',
  'design',
] as const;

/** Stored target type of each filter value. No events have the missing values. */
const TARGET_TYPES: Readonly<Partial<Record<(typeof EVENT_TARGETS)[number], ActivityTargetType>>> = {
  issue: 'Issue',
  milestone: 'Milestone',
  merge_request: 'MergeRequest',
  note: 'Note',
  project: 'Project',
  wiki: 'WikiPage::Meta',
};

/** Filters of the request. Absent and null filters have no effect. */
export interface EventFilter {
  readonly action?: ActivityAction | null | undefined;
  readonly target_type?: (typeof EVENT_TARGETS)[number] | null | undefined;
  /** `YYYY-MM-DD`, exclusive. */
  readonly before?: string | null | undefined;
  readonly after?: string | null | undefined;
}

/** Returns the SQL condition for events that match the filter and are later than `horizon`; `table` is the alias. */
export function eventCondition(table: string, filter: EventFilter, horizon: string): Expression<SqlBool> {
  const { action, target_type, before, after } = filter;
  const column = (name: string) => sql.ref(`${table}.${name}`);
  // A single lower bound: given two, SQLite uses the first one for the index even if it is less selective.
  const lowerBound = after && endOfDay(after) > horizon ? endOfDay(after) : horizon;
  const conditions = [sql<SqlBool>`${column('created_at')} > ${lowerBound}`];
  if (action) conditions.push(sql`${column('action')} = ${action}`);
  if (target_type) {
    const type = TARGET_TYPES[target_type];
    conditions.push(type === undefined ? sql`1 = 0` : sql`${column('target_type')} = ${type}`);
  }
  if (before) conditions.push(sql`${column('created_at')} < ${startOfDay(before)}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

const startOfDay = (day: string) => `${day}T00:00:00.000Z`;
const endOfDay = (day: string) => `${day}T23:59:59.999Z`;
