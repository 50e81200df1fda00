import { deleteSome } from '#database/batch-statements.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { leaveToGhost } from '#events/reassign-to-ghost.ts';

/** What becomes of to-dos when people go, or the place: there may be very many. */

const ofColumn = (column: string) => ({ table: 'todos', column });

/** His own go, and what he gave others to do is the ghost's, or goes with him. index: todos_by_user, todos_by_author */
export const todosOfLeavers = subscription({
  event: 'user-deleted',
  inBatches: (uow, deleted) =>
    pieceOf(
      () => deleteSome(uow, ofColumn('user_id'), deleted.userId, PIECE),
      () => leaveToGhost(uow, ofColumn('author_id'), deleted),
    ),
});

/** index: todos_by_project */
export const todosEndWithProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) => pieceOf(() => deleteSome(uow, ofColumn('project_id'), projectId, PIECE)),
});

/** index: todos_by_group */
export const todosEndWithGroup = subscription({
  event: 'group-destroyed',
  inBatches: (uow, { groupId }) => pieceOf(() => deleteSome(uow, ofColumn('group_id'), groupId, PIECE)),
});
