import { cancelPipeline } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { reloadAccess, requireAbility } from '#authorization/current-access.ts';
import type { Columns } from '#database/database.ts';
import { type MORE, recheckNothing, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { deleteCommitStatusBatch, deleteJobBatch, deletePipelineBatch } from './delete-rows.ts';

type DeletedPipeline = Columns<'pipelines', 'id' | 'project_id'>;

/** Deletes a pipeline and everything that belongs to it in batches: retried jobs first, the row of the pipeline last. */
export async function deletePipelineInBatches(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  pipeline: DeletedPipeline,
): Promise<void> {
  await runInBatches(runUnitOfWork, caller, {
    recheck: async (uow) => requireAbility(await reloadAccess(uow, caller, pipeline.project_id), 'destroy_pipeline'),
    runBatch: (uow) => deleteBatch(uow, pipeline.id),
  });
}

/** Deletes a pipeline that is older than its project allows, without a user as the actor. */
export async function deleteOldPipeline(runUnitOfWork: RunUnitOfWork, pipelineId: number): Promise<void> {
  await runInBatches(runUnitOfWork, ANONYMOUS, {
    recheck: recheckNothing,
    runBatch: (uow) => deleteBatch(uow, pipelineId),
  });
}

/**
 * Deletes one batch; returns `MORE` if another batch must follow. Unfinished jobs are canceled first, so that no
 * deployment runs forever and waiting jobs get their resources. Subscribers of `pipeline-deleted` still find the row.
 * index: pipelines primary key
 */
async function deleteBatch(uow: UnitOfWork, pipelineId: number): Promise<typeof MORE | undefined> {
  const pipelineQuery = uow.selectFrom('pipelines').select(['id', 'project_id', 'status']).where('id', '=', pipelineId);
  const pipeline = await pipelineQuery.executeTakeFirst();
  if (pipeline === undefined) return undefined;
  await cancelPipeline(uow, pipeline, { force: true });
  return runBatchSteps(
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId, { retried: true }),
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId),
    () => deleteCommitStatusBatch(uow, pipelineId),
    async () => {
      await uow.publish('pipeline-deleted', { projectId: pipeline.project_id, pipelineId });
      return deletePipelineBatch(uow, 'id', pipelineId);
    },
  );
}
