import type { Database } from '#database/database.ts';
import { defineJob, enqueue, type Job } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { DAY_MS, momentAfter, yearsBefore } from '#runtime/clock.ts';
import { deleteOldActivity } from './store.ts';

/** Activity is kept for three years and a day: events of this moment or before are neither shown nor kept. */
export function activityHorizon(now: string): string {
  return momentAfter(yearsBefore(now, 3), -DAY_MS);
}

/** Rows of one run. */
export const BATCH_SIZE = 10_000;

const NAME = 'remove-old-activity';

type NoPayload = Record<string, never>;

/** Deletes one batch of activity events beyond the horizon, and asks for another run as long as there may be more. */
export const removeOldActivity: Job<{ readonly database: Database }, NoPayload> = defineJob({
  kind: NAME,
  async handle({ database }) {
    // Read committed: nobody changes old events, and whoever deletes them too has done our work.
    await database.transaction(
      async (tx) => {
        const deleted = await deleteOldActivity(tx, activityHorizon(tx.now), BATCH_SIZE);
        if (deleted === BATCH_SIZE) await enqueue(tx, removeOldActivity, {}, { key: NAME });
      },
      { isolation: 'read committed' },
    );
  },
});

export const removeOldActivityDaily: Schedule<{ readonly database: Database }> = {
  name: NAME,
  cron: '20 3 * * *',
  job: removeOldActivity,
};
