import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { deleteErrorBatch, deleteEventBatch } from './delete.ts';

/** Deletes the events, then the errors of a deleted project, in batches. index: error_events_by_receipt */
export const deleteErrorsOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () => deleteEventBatch(uow, projectId),
      async () => deleteErrorBatch(uow, await listErrorIds(uow, projectId)),
    ),
});

/** Returns the ids of up to BATCH_SIZE errors of a project. index: errors_by_fingerprint */
async function listErrorIds(tx: Transaction, projectId: number): Promise<number[]> {
  const query = tx.selectFrom('errors').select('id').where('project_id', '=', projectId).limit(BATCH_SIZE);
  return (await query.execute()).map(({ id }) => id);
}
