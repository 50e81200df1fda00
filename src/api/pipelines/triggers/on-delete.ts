import { deleteSome } from '#database/batch-statements.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/** A project may have very many triggers, and a user in many projects. index: pipeline_triggers_by_project */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    pieceOf(() => deleteSome(uow, { table: 'pipeline_triggers', column: 'project_id' }, projectId, PIECE)),
});

/** In whose name nothing is started any more. index: pipeline_triggers_by_owner */
export const endWithOwner = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    pieceOf(() => deleteSome(uow, { table: 'pipeline_triggers', column: 'owner_id' }, userId, PIECE)),
});
