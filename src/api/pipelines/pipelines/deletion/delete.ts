import { cancelPipeline } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { reloadAccess, requireAbility } from '#authorization/current-access.ts';
import { inBatches, type MORE, nextBatch, noRecheck } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { deleteCommitStatusBatch, deleteJobBatch } from './delete-rows.ts';

interface DeletedPipeline {
  readonly id: number;
  readonly project_id: number;
}

/** Removes a pipeline with all that it has left; its jobs, which may be many and have left much, piece by piece before, earlier attempts first. */
export async function deletePipelineInBatches(
  runUnitOfWork: RunUnitOfWork,
  by: SignedInCaller,
  pipeline: DeletedPipeline,
): Promise<void> {
  await inBatches(runUnitOfWork, by, {
    recheck: async (uow) => requireAbility(await reloadAccess(uow, by, pipeline.project_id), 'destroy_pipeline'),
    runBatch: (uow) => deletePipelineBatch(uow, pipeline.id),
  });
}

/** The same of one that is too old, by nobody. */
export async function deleteOldPipeline(runUnitOfWork: RunUnitOfWork, pipelineId: number): Promise<void> {
  await inBatches(runUnitOfWork, ANONYMOUS, {
    recheck: noRecheck,
    runBatch: (uow) => deletePipelineBatch(uow, pipelineId),
  });
}

/**
 * What has not ended is canceled first, so that no deployment runs for ever and whoever waits for a resource gets it.
 * index: pipelines primary key
 */
async function deletePipelineBatch(uow: UnitOfWork, pipelineId: number): Promise<typeof MORE | undefined> {
  const found = uow.selectFrom('pipelines').select(['id', 'project_id', 'status']).where('id', '=', pipelineId);
  const pipeline = await found.executeTakeFirst();
  if (pipeline === undefined) return undefined;
  await cancelPipeline(uow, pipeline, { force: true });
  const more = await nextBatch(
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId, { retried: true }),
    () => deleteJobBatch(uow, 'pipeline_id', pipelineId),
    () => deleteCommitStatusBatch(uow, 'pipeline_id', pipelineId),
  );
  if (more === undefined) await uow.deleteFrom('pipelines').where('id', '=', pipelineId).execute();
  return more;
}
