import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import { deleteLargeRowBatch, deleteWithChildren } from '#database/batch-statements.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { buildErrorReportsLockKey, DEFAULT_INGESTION } from '#domain/error-tracking.ts';
import { BATCH_SIZE, MORE, runBatchSteps } from '#events/batches.ts';
import { ERRORS } from '#events/owned-rows.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';

/**
 * Deletes events, errors and session counts after the retention period of their project. An error is deleted after its
 * last event (contract/monitoring.md §12 "Retention").
 */
export const cleanUpExpiredReports = defineJob({
  kind: 'delete_expired_errors',
  async handle(
    { runUnitOfWork, database }: Pick<Services, 'database' | 'runUnitOfWork'>,
    _payload: Record<string, never>,
    { signal },
  ) {
    const runBatches = async (runBatch: (tx: Transaction) => Promise<typeof MORE | undefined>, lockKey?: string) => {
      while (
        !signal.aborted &&
        (await runUnitOfWork(ANONYMOUS, runBatch, { lock: lockKey, exemptFromLimit: true })) === MORE
      )
        await yieldToEventLoop();
    };
    await runBatches(deleteOldHourlyCounts);
    const nextProjectId = (previousId: number) => findNextProjectId(database.reader, previousId);
    for (let id = await nextProjectId(0); id !== null; id = await nextProjectId(id)) {
      const projectId = id;
      await runBatches((tx) => deleteExpiredBatch(tx, projectId), buildErrorReportsLockKey(projectId));
      if (signal.aborted) return;
    }
  },
});

export const cleanUpExpiredReportsDaily: Schedule<Services> = {
  name: 'delete_expired_errors',
  cron: '40 3 * * *',
  job: cleanUpExpiredReports,
};

/** Deletes hourly counts that are older than a day, because the `frequency` of an error covers only the last 24 hours. */
const deleteOldHourlyCounts = (tx: Transaction) =>
  runBatchSteps(() => deleteHoursBefore(tx, (Date.parse(tx.now) - DAY_MS) / 1000));

/** Deletes a batch of hours that ended before the cutoff, in Unix seconds; returns how many. index: error_hours_by_hour */
async function deleteHoursBefore(tx: Transaction, cutoffSecond: number): Promise<number> {
  const result = await sql`delete from error_hours where (error_id, hour) in
    (select error_id, hour from error_hours where hour < ${Math.floor(cutoffSecond) - HOUR_SECONDS} limit ${sql.lit(BATCH_SIZE)})`.execute(
    tx,
  );
  return Number(result.numAffectedRows ?? 0);
}

const HOUR_SECONDS = 3600;

/**
 * Returns the lowest project id above `id` with errors or sessions, or null if there is none.
 * index: errors_by_fingerprint, session_buckets primary key, session_states primary key
 */
async function findNextProjectId(db: Reader, id: number): Promise<number | null> {
  const selectMinProjectId = (table: 'errors' | 'session_buckets' | 'session_states') =>
    sql`select min(project_id) as id from ${sql.table(table)} where project_id > ${id}`;
  const { rows } = await sql<{ id: number | null }>`select min(id) as id from
    (${selectMinProjectId('errors')} union all ${selectMinProjectId('session_buckets')} union all ${selectMinProjectId('session_states')}) as candidates`.execute(
    db,
  );
  return rows[0]?.id ?? null;
}

/** Deletes one batch of expired rows of a project. Returns MORE if expired rows may remain. */
async function deleteExpiredBatch(tx: Transaction, projectId: number): Promise<typeof MORE | undefined> {
  const before = addMilliseconds(tx.now, -DAY_MS * (await getRetentionDays(tx, projectId)));
  return runBatchSteps(
    () => deleteEventBatch(tx, projectId, before),
    async () => deleteErrorBatch(tx, await listExpiredErrorIds(tx, projectId, before)),
    () => deleteSessionsBefore(tx, projectId, before),
    () => deleteCountsBefore(tx, projectId, before),
  );
}

/** Returns the retention period of a project. index: ingestion_settings primary key */
async function getRetentionDays(db: Reader, projectId: number): Promise<number> {
  const query = db.selectFrom('ingestion_settings').select('retention_days').where('project_id', '=', projectId);
  return (await query.executeTakeFirst())?.retention_days ?? DEFAULT_INGESTION.retention_days;
}

/** Senders' clocks may be ahead by a minute, so that `last_seen` may be later than the time of receipt. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Returns the ids of errors without events received since `before`. index: errors_by_last_seen */
async function listExpiredErrorIds(db: Reader, projectId: number, before: string): Promise<number[]> {
  const query = db
    .selectFrom('errors')
    .select('id')
    .where('project_id', '=', projectId)
    .where('status', 'in', ['unresolved', 'resolved', 'ignored'])
    .where('last_seen', '<', addMilliseconds(before, MAX_CLOCK_SKEW_MS))
    .where('last_received_at', '<', before)
    .limit(BATCH_SIZE);
  return (await query.execute()).map(({ id }) => id);
}

/** Deletes a batch of sessions; returns how many. index: session_states_by_receipt */
async function deleteSessionsBefore(tx: Transaction, projectId: number, before: string): Promise<number> {
  const result =
    await sql`delete from session_states where (project_id, sid) in (select project_id, sid from session_states
    where project_id = ${projectId} and received_at < ${before} limit ${sql.lit(BATCH_SIZE)})`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/** Deletes a batch of session counts; returns how many. index: session_buckets_by_last_seen */
async function deleteCountsBefore(tx: Transaction, projectId: number, before: string): Promise<number> {
  const result = await sql`delete from session_buckets where (project_id, release, environment) in
    (select project_id, release, environment from session_buckets
      where project_id = ${projectId} and last_seen < ${before} limit ${sql.lit(BATCH_SIZE)})`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/** Deletes up to BATCH_SIZE rows of errors without events: first their aggregates, then the errors. Returns their number; BATCH_SIZE while there may be more. */
function deleteErrorBatch(tx: Transaction, errorIds: readonly number[]): Promise<number> {
  return deleteWithChildren(tx, ERRORS, errorIds, BATCH_SIZE);
}

/**
 * Deletes a batch of events of a project, limited by size. `before`: only events received before this timestamp.
 * Returns the number of deleted rows, as `runBatchSteps` expects. index: error_events_by_receipt
 */
export function deleteEventBatch(tx: Transaction, projectId: number, before: string | null = null): Promise<number> {
  const projectCondition = sql<SqlBool>`project_id = ${projectId}`;
  const where = before === null ? projectCondition : sql<SqlBool>`${projectCondition} and received_at < ${before}`;
  return deleteLargeRowBatch(tx, { table: 'error_events', text: 'payload' }, where, BATCH_SIZE);
}
