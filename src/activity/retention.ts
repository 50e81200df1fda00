import type { Database } from '#database/database.ts';
import { defineJob, enqueue, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds, DAY_MS, subtractYears } from '#runtime/clock.ts';
import { deleteOldActivity } from './store.ts';

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
