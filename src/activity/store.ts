import type { Insertable } from 'kysely';
import { deleteSome } from '#database/batch-statements.ts';
import type { Transaction } from '#database/database.ts';
import type { ActivityEventsTable, ActivityTargetType } from '#database/tables/activity.ts';
import { momentAfter } from '#runtime/clock.ts';
import { columnOf } from './resource.ts';

/** What a row leaves out is null. */
type ActivityRow = Omit<Insertable<ActivityEventsTable>, 'id' | 'project_id' | 'created_at'>;

/** Rows of one statement; a row has up to 17 values, and the engines take some 32,000. */
const ROWS_AT_ONCE = 500;

/** Adds events of one project in this order, all of this moment, and keeps the project's `last_activity_at` fresh. */
export async function insertActivity(
  tx: Transaction,
  projectId: number,
  events: readonly ActivityRow[],
): Promise<void> {
  const rows = events.map((event) => ({ ...event, project_id: projectId, created_at: tx.now }));
  for (const some of chunks(rows, ROWS_AT_ONCE)) await tx.insertInto('activity_events').values(some).execute();
  if (rows.length > 0) await touchProject(tx, projectId);
}

const HOUR = 3_600_000;

/** Only when it is more than one hour old: a busy project's row is not written with every event. */
async function touchProject(tx: Transaction, projectId: number): Promise<void> {
  const anHourAgo = momentAfter(tx.now, -HOUR);
  await tx
    .updateTable('projects')
    .set({ last_activity_at: tx.now })
    .where('id', '=', projectId)
    .where('last_activity_at', '<', anHourAgo)
    .execute();
}

/** For the deletion of a project. index: activity_events_by_project */
export async function forgetProjectActivity(tx: Transaction, projectId: number): Promise<void> {
  await tx.deleteFrom('activity_events').where('project_id', '=', projectId).execute();
}

/** The same so many at most, and tells how many. index: activity_events_by_project */
export function forgetSomeProjectActivity(tx: Transaction, projectId: number, most: number): Promise<number> {
  return deleteSome(tx, { table: 'activity_events', column: 'project_id' }, projectId, most);
}

/** For the deletion of a user. index: activity_events_by_author */
export async function forgetAuthorActivity(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('activity_events').where('author_id', '=', userId).execute();
}

/** The same so many at most, and tells how many. index: activity_events_by_author */
export function forgetSomeAuthorActivity(tx: Transaction, userId: number, most: number): Promise<number> {
  return deleteSome(tx, { table: 'activity_events', column: 'author_id' }, userId, most);
}

const TARGET_TYPES = {
  Issue: ['Issue'],
  MergeRequest: ['MergeRequest'],
  Milestone: ['Milestone'],
  Note: ['Note', 'DiscussionNote', 'DiffNote'],
} as const satisfies Record<string, readonly ActivityTargetType[]>;

/**
 * For the deletion of issues, merge requests, milestones or comments, before their rows go; what was said on an issue or
 * merge request goes with it. A milestone's `destroyed` event has no target and stays.
 */
export async function forgetTargetActivity(
  tx: Transaction,
  kind: keyof typeof TARGET_TYPES,
  ids: readonly number[],
): Promise<void> {
  for (const some of chunks(ids, ROWS_AT_ONCE)) {
    // index: activity_events_by_target
    const forget = tx.deleteFrom('activity_events').where('target_type', 'in', TARGET_TYPES[kind]);
    await forget.where('target_id', 'in', some).execute();
    if (kind !== 'Issue' && kind !== 'MergeRequest') continue;
    await tx
      .deleteFrom('activity_events')
      .where('target_type', 'in', TARGET_TYPES.Note)
      // index: notes_by_issue_created, notes_by_merge_request_created
      .where('target_id', 'in', (eb) => eb.selectFrom('notes').select('notes.id').where(columnOf(kind), 'in', some))
      .execute();
  }
}

/** Deletes at most `limit` events of `horizon` or before, the oldest first, and tells how many. index: activity_events_by_created_at */
export async function deleteOldActivity(tx: Transaction, horizon: string, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('activity_events')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('activity_events')
        .select('id')
        .where('created_at', '<=', horizon)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
