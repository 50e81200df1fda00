import { reassignReferences } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { deleteCommitStatusBatch, deleteJobBatch, deletePipelineBatch } from './delete-rows.ts';

/** Deletes the pipelines and jobs of a deleted project, and clears references to a deleted user, in batches. */

const TABLES_WITH_USER = ['jobs', 'pipelines', 'commit_statuses'] as const;

/**
 * Deletes jobs first, so that the deletion of a pipeline does not cascade to many rows.
 * index: jobs_by_project, pipelines_by_project
 */
export const deletePipelinesOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () => deleteJobBatch(uow, 'project_id', projectId),
      () => deleteCommitStatusBatch(uow, 'project_id', projectId),
      () => deletePipelineBatch(uow, 'project_id', projectId),
    ),
});

/** Keeps the rows of a deleted user without a user. index: jobs_by_user, pipelines_by_user, commit_statuses_by_user */
export const clearDeletedUserOfPipelines = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    runBatchSteps(
      ...TABLES_WITH_USER.map(
        (table) => () =>
          reassignReferences(uow, { table, column: 'user_id' }, { from: userId, to: null, limit: BATCH_SIZE }),
      ),
    ),
});
