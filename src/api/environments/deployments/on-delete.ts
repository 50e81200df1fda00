import { deleteSome, referElsewhere } from '#database/batch-statements.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/** What becomes of deployments, of which there may be very many, when their project goes, or who has made them. */

/** index: deployments_by_project */
export const endWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    pieceOf(() => deleteSome(uow, { table: 'deployments', column: 'project_id' }, projectId, PIECE)),
});

/** What a deleted user has deployed stays as nobody's; what he has said of deployments goes. index: deployments_by_user, deployment_approvals_by_user_id */
export const forgetWhoDeployed = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    pieceOf(
      () => referElsewhere(uow, { table: 'deployments', column: 'user_id' }, { from: userId, to: null, most: PIECE }),
      () => deleteSome(uow, { table: 'deployment_approvals', column: 'user_id' }, userId, PIECE),
    ),
});
