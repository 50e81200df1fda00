import type { Insertable } from 'kysely';
import type { Database, Transaction } from '#database/database.ts';
import type { ActivityTargetType, Schema } from '#database/schema.ts';
import { defineJob, enqueue, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, DAY_MS, subtractYears } from '#runtime/clock.ts';
import { getForeignKeyColumn } from './resource.ts';

/** An activity event without its id, project and time. Omitted columns are null. */
type ActivityRow = Omit<Insertable<Schema['activity_events']>, 'id' | 'project_id' | 'created_at'>;

/** Maximum number of rows per statement: a row has up to 17 values, and the engines accept about 32,000. */
const ROWS_PER_STATEMENT = 500;

/**
 * Inserts events of one project in this order, all with the current timestamp, and updates the project's
 * `last_activity_at`.
 */
export async function insertActivity(
  tx: Transaction,
  projectId: number,
  events: readonly ActivityRow[],
): Promise<void> {
  const rows = events.map((event) => ({ ...event, project_id: projectId, created_at: tx.now }));
  for (const chunk of splitIntoChunks(rows, ROWS_PER_STATEMENT))
    await tx.insertInto('activity_events').values(chunk).execute();
  if (rows.length > 0) await touchProject(tx, projectId);
}

const HOUR_MS = 3_600_000;

/** Updates `last_activity_at` only if it is more than one hour old, so that not every event writes the project's row. */
async function touchProject(tx: Transaction, projectId: number): Promise<void> {
  const anHourAgo = addMilliseconds(tx.now, -HOUR_MS);
  await tx
    .updateTable('projects')
    .set({ last_activity_at: tx.now })
    .where('id', '=', projectId)
    .where('last_activity_at', '<', anHourAgo)
    .execute();
}

/** Deletes all activity events of a project. index: activity_events_by_project */
export async function deleteProjectActivity(tx: Transaction, projectId: number): Promise<void> {
  await tx.deleteFrom('activity_events').where('project_id', '=', projectId).execute();
}

/** Deletes all activity events of an author. index: activity_events_by_author */
export async function deleteAuthorActivity(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('activity_events').where('author_id', '=', userId).execute();
}

const TARGET_TYPES = {
  Issue: ['Issue'],
  MergeRequest: ['MergeRequest'],
  Milestone: ['Milestone'],
  Note: ['Note', 'DiscussionNote', 'DiffNote'],
} as const satisfies Record<string, readonly ActivityTargetType[]>;

/**
 * Deletes the activity events of issues, merge requests, milestones or comments. Call it before their rows are deleted.
 * Events about comments on an issue or merge request are deleted with it. A milestone's `destroyed` event has no target
 * and remains.
 */
export async function deleteTargetActivity(
  tx: Transaction,
  kind: keyof typeof TARGET_TYPES,
  ids: readonly number[],
): Promise<void> {
  for (const chunk of splitIntoChunks(ids, ROWS_PER_STATEMENT)) {
    // index: activity_events_by_target
    const deletion = tx.deleteFrom('activity_events').where('target_type', 'in', TARGET_TYPES[kind]);
    await deletion.where('target_id', 'in', chunk).execute();
    if (kind !== 'Issue' && kind !== 'MergeRequest') continue;
    await tx
      .deleteFrom('activity_events')
      .where('target_type', 'in', TARGET_TYPES.Note)
      // index: notes_by_issue_created, notes_by_merge_request_created
      .where('target_id', 'in', (eb) =>
        eb.selectFrom('notes').select('notes.id').where(getForeignKeyColumn(kind), 'in', chunk),
      )
      .execute();
  }
}

/**
 * Deletes up to `limit` events not newer than `retentionLimit`, the oldest first; returns how many.
 * index: activity_events_by_created_at
 */
async function deleteOldActivity(tx: Transaction, retentionLimit: string, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('activity_events')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('activity_events')
        .select('id')
        .where('created_at', '<=', retentionLimit)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function* splitIntoChunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Returns the retention limit, three years and a day ago: older events are not returned and will be deleted. */
export function getActivityRetentionLimit(now: string): string {
  return addMilliseconds(subtractYears(now, 3), -DAY_MS);
}

/** Maximum number of rows deleted per run. */
export const BATCH_SIZE = 10_000;

const NAME = 'remove-old-activity';

type NoPayload = Record<string, never>;

/** Deletes one batch of activity events older than the retention limit; enqueues another run if there may be more. */
export const deleteOldActivityJob: JobDefinition<{ readonly database: Database }, NoPayload> = defineJob({
  kind: NAME,
  async handle({ database }) {
    // Read committed suffices: old events never change, and concurrent deletions are harmless.
    await database.transaction(
      async (tx) => {
        const deletedCount = await deleteOldActivity(tx, getActivityRetentionLimit(tx.now), BATCH_SIZE);
        if (deletedCount === BATCH_SIZE) await enqueue(tx, deleteOldActivityJob, {}, { key: NAME });
      },
      { isolation: 'read committed' },
    );
  },
});

export const deleteOldActivitySchedule: Schedule<{ readonly database: Database }> = {
  name: NAME,
  cron: '20 3 * * *',
  job: deleteOldActivityJob,
};
