import { type Expression, type SqlBool, sql } from 'kysely';
import type { ActivityAction, ActivityTargetType } from '#database/tables/activity.ts';

/** What feeds are narrowed to. */
export const ACTIONS = [
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

export const TARGETS = [
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

/** Kinds of events that nothing records have no type. */
const TYPES: Readonly<Partial<Record<(typeof TARGETS)[number], ActivityTargetType>>> = {
  issue: 'Issue',
  milestone: 'Milestone',
  merge_request: 'MergeRequest',
  note: 'Note',
  project: 'Project',
  wiki: 'WikiPage::Meta',
};

export interface Filter {
  readonly action?: ActivityAction | null | undefined;
  readonly target_type?: (typeof TARGETS)[number] | null | undefined;
  /** `YYYY-MM-DD`; neither day is itself in the feed. */
  readonly before?: string | null | undefined;
  readonly after?: string | null | undefined;
}

/** The conditions on a table of events, of those later than `horizon`; the table is called by this name. */
export function conditionsOf(table: string, filter: Filter, horizon: string): Expression<SqlBool> {
  const { action, target_type, before, after } = filter;
  const column = (name: string) => sql.ref(`${table}.${name}`);
  // One bound: of two below, SQLite's index takes the first, however much lies between them.
  const since = after && lastMoment(after) > horizon ? lastMoment(after) : horizon;
  const conditions = [sql<SqlBool>`${column('created_at')} > ${since}`];
  if (action) conditions.push(sql`${column('action')} = ${action}`);
  if (target_type) {
    const type = TYPES[target_type];
    conditions.push(type === undefined ? sql`1 = 0` : sql`${column('target_type')} = ${type}`);
  }
  if (before) conditions.push(sql`${column('created_at')} < ${midnight(before)}`);
  return sql`(${sql.join(conditions, sql` and `)})`;
}

const midnight = (day: string) => `${day}T00:00:00.000Z`;
const lastMoment = (day: string) => `${day}T23:59:59.999Z`;
