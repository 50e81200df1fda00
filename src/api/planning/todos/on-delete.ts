import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { reassignToGhost } from '#events/reassign-to-ghost.ts';

/** Deletes to-dos with their user, project or group, in batches, and before the rows that they refer to (`before`). */

const todosBy = (column: string) => ({ table: 'todos', column });

/** When a user is deleted: deletes their items, and reassigns or deletes those they caused for others. index: todos_by_user, todos_by_author */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  before: ['planning/issues', 'planning/epics', 'planning/merge-requests', 'planning/notes'],
  inBatches: (uow, deletion) =>
    runBatchSteps(
      () => deleteBatch(uow, todosBy('user_id'), deletion.userId, BATCH_SIZE),
      () => reassignToGhost(uow, todosBy('author_id'), deletion),
    ),
});

/** index: todos_by_project */
export const deleteTodosOfProject = defineSubscription({
  event: 'project-destroyed',
  before: ['planning/issues', 'planning/merge-requests', 'planning/notes'],
  inBatches: (uow, { projectId }) =>
    runBatchSteps(() => deleteBatch(uow, todosBy('project_id'), projectId, BATCH_SIZE)),
});

/** index: todos_by_group */
export const deleteTodosOfGroup = defineSubscription({
  event: 'group-destroyed',
  before: ['planning/epics'],
  inBatches: (uow, { groupId }) => runBatchSteps(() => deleteBatch(uow, todosBy('group_id'), groupId, BATCH_SIZE)),
});
