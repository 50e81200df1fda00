import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { removeErrors, removeEvents } from './delete.ts';

/** Errors go with their project, and first their events: there may be very many of both. index: error_events_by_receipt */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    nextBatch(
      () => removeEvents(uow, projectId),
      async () => removeErrors(uow, await someErrors(uow, projectId)),
    ),
});

/** index: errors_by_fingerprint */
async function someErrors(tx: Transaction, projectId: number): Promise<number[]> {
  const found = tx.selectFrom('errors').select('id').where('project_id', '=', projectId).limit(BATCH_SIZE);
  return (await found.execute()).map(({ id }) => id);
}
