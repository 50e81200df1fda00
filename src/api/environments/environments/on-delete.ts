import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/** Deletes the environments of a deleted project in batches. index: environments_by_project */
export const deleteEnvironmentsOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'environments', column: 'project_id' }, projectId, BATCH_SIZE)),
});
