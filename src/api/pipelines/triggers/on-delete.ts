import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/** Deletes triggers in batches, because a project may have very many. index: pipeline_triggers_by_project */
export const deleteTriggersOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'pipeline_triggers', column: 'project_id' }, projectId, BATCH_SIZE)),
});

/** Deletes the triggers of a deleted user. index: pipeline_triggers_by_owner */
export const deleteTriggersOfUser = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'pipeline_triggers', column: 'owner_id' }, userId, BATCH_SIZE)),
});
