import { runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { deleteJobBatch, deletePipelineBatch } from './delete-rows.ts';

/**
 * Deletes the jobs, then the pipelines of a deleted project, so that the deletion of a pipeline does not cascade to many
 * rows. index: jobs_by_project, pipelines_by_project
 */
export const deletePipelinesOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(
      () => deleteJobBatch(uow, 'project_id', projectId),
      () => deletePipelineBatch(uow, 'project_id', projectId),
    ),
});
