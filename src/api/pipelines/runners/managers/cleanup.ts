import type { Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { sweepInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob, type Job } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { staleUntil } from '../status.ts';

const NAME = 'sweep-runner-managers';
const BATCH = 1_000;

/** Deletes the managers that were not heard of for seven days (contract/runners.md "Background work"). */
export const sweepManagers: Job<Services, Record<string, never>> = defineJob({
  kind: NAME,
  handle: ({ database }) => sweepInBatches(database, BATCH, deleteSilent),
});

export const sweepManagersDaily: Schedule<Services> = { name: NAME, cron: '40 4 * * *', job: sweepManagers };

/** index: runner_managers_by_contact */
async function deleteSilent(tx: Transaction, most: number): Promise<number> {
  const until = staleUntil(tx.now);
  const silent = tx
    .selectFrom('runner_managers')
    .select('id')
    .where('contacted_at', '<=', until)
    .orderBy('contacted_at')
    .limit(most);
  const gone = await tx
    .deleteFrom('runner_managers')
    .where('id', 'in', silent)
    .where('contacted_at', '<=', until)
    .returning('id')
    .execute();
  return gone.length;
}
