import { deleteKeyedBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/**
 * Deletes the sessions of a deleted project in batches, because each user of the monitored application may have one.
 * index: session_states primary key, session_buckets primary key
 */
export const deleteSessionsOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () =>
        deleteKeyedBatch(uow, { table: 'session_states', column: 'project_id', key: ['sid'] }, [projectId], BATCH_SIZE),
      () =>
        deleteKeyedBatch(
          uow,
          { table: 'session_buckets', column: 'project_id', key: ['release', 'environment'] },
          [projectId],
          BATCH_SIZE,
        ),
    ),
});
