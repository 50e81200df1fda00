import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/** A project may have any number of keys. index: client_keys_by_project */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    nextBatch(() => deleteBatch(uow, { table: 'client_keys', column: 'project_id' }, projectId, BATCH_SIZE)),
});
