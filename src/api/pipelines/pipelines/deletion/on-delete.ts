import { reassignReferences } from '#database/batch-statements.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { deleteCommitStatusBatch, deleteJobBatch, deletePipelineBatch } from './delete-rows.ts';

/** What becomes of pipelines and their jobs, of which there may be very many, when their project goes, or who has made them. */

const TABLES_WITH_USER = ['jobs', 'pipelines', 'commit_statuses'] as const;

/** Jobs go first, so that no pipeline takes many along. index: jobs_by_project, pipelines_by_project */
export const deletePipelinesOfProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    nextBatch(
      () => deleteJobBatch(uow, 'project_id', projectId),
      () => deleteCommitStatusBatch(uow, 'project_id', projectId),
      () => deletePipelineBatch(uow, 'project_id', projectId),
    ),
});

/** What a deleted user has run stays as nobody's. index: jobs_by_user, pipelines_by_user, commit_statuses_by_user */
export const clearDeletedUserOfPipelines = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    nextBatch(
      ...TABLES_WITH_USER.map(
        (table) => () =>
          reassignReferences(uow, { table, column: 'user_id' }, { from: userId, to: null, limit: BATCH_SIZE }),
      ),
    ),
});
