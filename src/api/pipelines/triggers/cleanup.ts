import type { Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { deleteInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';

const NAME = 'sweep-pipeline-triggers';
const BATCH_SIZE = 1_000;
/** How long expired triggers stay in lists. */
const RETENTION_DAYS = 30;

/** Deletes triggers that expired at least thirty days ago (contract/runners.md "Background work"). */
export const cleanUpTriggers: JobDefinition<Services, Record<string, never>> = defineJob({
  kind: NAME,
  handle: ({ database }) => deleteInBatches(database, BATCH_SIZE, deleteExpiredTriggers),
});

export const cleanUpTriggersDaily: Schedule<Services> = { name: NAME, cron: '20 4 * * *', job: cleanUpTriggers };

/** Deletes one batch of expired triggers and returns how many. index: pipeline_triggers_by_end */
async function deleteExpiredTriggers(tx: Transaction, limit: number): Promise<number> {
  const expiredTriggers = tx
    .selectFrom('pipeline_triggers')
    .select('id')
    .where('expires_at', '<=', addMilliseconds(tx.now, -RETENTION_DAYS * DAY_MS))
    .orderBy('expires_at')
    .limit(limit);
  return (await tx.deleteFrom('pipeline_triggers').where('id', 'in', expiredTriggers).returning('id').execute()).length;
}
