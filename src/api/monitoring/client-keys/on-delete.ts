import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/** Deletes the keys of a deleted project in batches: it may have any number of keys. index: client_keys_by_project */
export const deleteClientKeysOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'client_keys', column: 'project_id' }, projectId, BATCH_SIZE)),
});
