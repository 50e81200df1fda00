import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { DEFAULT_INGESTION, errorReportsLockKey } from '#domain/error-tracking.ts';
import { BATCH_SIZE, MORE, nextBatch } from '#events/batches.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';
import { removeErrors, removeEvents } from './delete.ts';

/**
 * Reports are kept for so many days after they have come, an error as long as its last one, and counts of sessions as long
 * (contract/monitoring.md §12 "Retention"). Each project says how long; nobody removes them.
 */
export const removeExpired = defineJob({
  kind: 'remove-expired-errors',
  async handle({ runUnitOfWork, database }: Services, _payload: Record<string, never>, { signal }) {
    const inPieces = async (piece: (tx: Transaction) => Promise<typeof MORE | undefined>, turn?: string) => {
      while (!signal.aborted && (await runUnitOfWork(ANONYMOUS, piece, { lock: turn, exemptFromLimit: true })) === MORE)
        await turnOfOthers();
    };
    await inPieces(removePastHours);
    for (let id = await projectAfter(database.reader, 0); id !== null; id = await projectAfter(database.reader, id)) {
      const projectId = id;
      await inPieces((tx) => removeExpiredOf(tx, projectId), errorReportsLockKey(projectId));
      if (signal.aborted) return;
    }
  },
});

export const removeExpiredDaily: Schedule<Services> = {
  name: 'remove-expired-errors',
  cron: '40 3 * * *',
  job: removeExpired,
};

/** What is shown of how often an error happens ends a day ago. */
const removePastHours = (tx: Transaction) =>
  nextBatch(() => deleteHoursBefore(tx, (Date.parse(tx.now) - DAY_MS) / 1000));

/** index: error_hours_by_hour */
async function deleteHoursBefore(tx: Transaction, second: number): Promise<number> {
  const gone = await sql`delete from error_hours where (error_id, hour) in
    (select error_id, hour from error_hours where hour < ${Math.floor(second) - HOUR} limit ${BATCH_SIZE})`.execute(tx);
  return Number(gone.numAffectedRows ?? 0);
}

const HOUR = 3600;

/** The next project that keeps something. index: errors_by_fingerprint, session_buckets primary key, session_states primary key */
export async function projectAfter(db: Reader, id: number): Promise<number | null> {
  const first = (table: 'errors' | 'session_buckets' | 'session_states') =>
    sql`select min(project_id) as id from ${sql.table(table)} where project_id > ${id}`;
  const { rows } = await sql<{ id: number | null }>`select min(id) as id from
    (${first('errors')} union all ${first('session_buckets')} union all ${first('session_states')}) as keeping`.execute(
    db,
  );
  return rows[0]?.id ?? null;
}

/** One piece of what a project need not keep any more. */
async function removeExpiredOf(tx: Transaction, projectId: number): Promise<typeof MORE | undefined> {
  const before = addMilliseconds(tx.now, -DAY_MS * (await daysKept(tx, projectId)));
  return nextBatch(
    () => removeEvents(tx, projectId, before),
    async () => removeErrors(tx, await silentErrors(tx, projectId, before)),
    () => deleteSessionsBefore(tx, projectId, before),
    () => deleteCountsBefore(tx, projectId, before),
  );
}

/** index: ingestion_settings primary key */
async function daysKept(db: Reader, projectId: number): Promise<number> {
  const found = db.selectFrom('ingestion_settings').select('retention_days').where('project_id', '=', projectId);
  return (await found.executeTakeFirst())?.retention_days ?? DEFAULT_INGESTION.retention_days;
}

/** Senders' clocks may be ahead by a minute: what was last heard of then may speak of a later moment. */
const AHEAD_MS = 60_000;

/** Errors of which nothing has come since. index: errors_by_last_seen */
async function silentErrors(db: Reader, projectId: number, before: string): Promise<number[]> {
  const found = db
    .selectFrom('errors')
    .select('id')
    .where('project_id', '=', projectId)
    .where('status', 'in', ['unresolved', 'resolved', 'ignored'])
    .where('last_seen', '<', addMilliseconds(before, AHEAD_MS))
    .where('last_received_at', '<', before)
    .limit(BATCH_SIZE);
  return (await found.execute()).map(({ id }) => id);
}

/** index: session_states_by_receipt */
async function deleteSessionsBefore(tx: Transaction, projectId: number, before: string): Promise<number> {
  const gone =
    await sql`delete from session_states where (project_id, sid) in (select project_id, sid from session_states
    where project_id = ${projectId} and received_at < ${before} limit ${BATCH_SIZE})`.execute(tx);
  return Number(gone.numAffectedRows ?? 0);
}

/** index: session_buckets_by_last_seen */
async function deleteCountsBefore(tx: Transaction, projectId: number, before: string): Promise<number> {
  const gone = await sql`delete from session_buckets where (project_id, release, environment) in
    (select project_id, release, environment from session_buckets
      where project_id = ${projectId} and last_seen < ${before} limit ${BATCH_SIZE})`.execute(tx);
  return Number(gone.numAffectedRows ?? 0);
}
