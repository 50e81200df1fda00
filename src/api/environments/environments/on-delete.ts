import { deleteSome } from '#database/batch-statements.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/** Environments go with their project, of which there may be very many. index: environments_by_project */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    pieceOf(() => deleteSome(uow, { table: 'environments', column: 'project_id' }, projectId, PIECE)),
});
