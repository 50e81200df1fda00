import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/** Deletes the locks of a deleted project. index: lfs_locks_by_project */
export const onProjectDestroyed = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'lfs_locks', column: 'project_id' }, projectId, BATCH_SIZE)),
});
