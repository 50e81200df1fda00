import type { Transaction } from '#database/database.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import type { Services } from '#http/services.ts';
import { defineJob, deleteInBatches, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { releaseRunnersOfProject } from './changes.ts';
import * as endpoints from './endpoints.ts';
import { getStaleThreshold } from './status.ts';

const JOB_NAME = 'clean_up_runner_managers';
const BATCH_SIZE = 1_000;

/** Deletes managers without contact for seven days (contract/runners.md "Background work"). */
const cleanUpRunnerManagers: JobDefinition<Services, Record<string, never>> = defineJob({
  kind: JOB_NAME,
  handle: ({ database }) => deleteInBatches(database, BATCH_SIZE, deleteStaleManagers),
});

const cleanUpRunnerManagersDaily: Schedule<Services> = {
  name: JOB_NAME,
  cron: '40 4 * * *',
  job: cleanUpRunnerManagers,
};

/** Deletes one batch and returns its size. index: runner_managers_by_contact */
async function deleteStaleManagers(tx: Transaction, limit: number): Promise<number> {
  const cutoff = getStaleThreshold(tx.now);
  const staleManagers = tx
    .selectFrom('runner_managers')
    .select('id')
    .where('contacted_at', '<=', cutoff)
    .orderBy('contacted_at')
    .limit(limit);
  const deletedManagers = await tx
    .deleteFrom('runner_managers')
    .where('id', 'in', staleManagers)
    .where('contacted_at', '<=', cutoff)
    .returning('id')
    .execute();
  return deletedManagers.length;
}

// Exports for other modules.
export { runnerAccess, runnerTokenAccess } from './access.ts';
export { Runner, RunnerManager } from './entities.ts';
export { findManagersByIds, findUnchangedManagerId, machineParams, recordContact } from './managers.ts';
export { buildStatusCondition } from './status.ts';
export { listRunnerTags } from './store.ts';

export const runners = resourceModule({
  endpoints,
  jobs: [cleanUpRunnerManagers],
  schedules: [cleanUpRunnerManagersDaily],
  subscriptions: [releaseRunnersOfProject],
});
