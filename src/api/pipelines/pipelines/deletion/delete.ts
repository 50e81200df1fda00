import { cancelPipeline } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { requireStill, standingOf } from '#authorization/current-access.ts';
import { inPieces, type MORE, nothingToAsk, pieceOf } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { removeJobs, removePosted } from './delete-rows.ts';

interface PipelineKey {
  readonly id: number;
  readonly project_id: number;
}

/** Removes a pipeline with all that it has left; its jobs, which may be many and have left much, piece by piece before, earlier attempts first. */
export async function destroyPipeline(
  runUnitOfWork: RunUnitOfWork,
  by: SignedInCaller,
  pipeline: PipelineKey,
): Promise<void> {
  await inPieces(runUnitOfWork, by, {
    ask: async (uow) => requireStill(await standingOf(uow, by, pipeline.project_id), 'destroy_pipeline'),
    piece: (uow) => destroyPiece(uow, pipeline.id),
  });
}

/** The same of one that is too old, by nobody. */
export async function destroyOldPipeline(runUnitOfWork: RunUnitOfWork, pipelineId: number): Promise<void> {
  await inPieces(runUnitOfWork, ANONYMOUS, { ask: nothingToAsk, piece: (uow) => destroyPiece(uow, pipelineId) });
}

/**
 * What has not ended is canceled first, so that no deployment runs for ever and whoever waits for a resource gets it.
 * index: pipelines primary key
 */
async function destroyPiece(uow: UnitOfWork, pipelineId: number): Promise<typeof MORE | undefined> {
  const found = uow.selectFrom('pipelines').select(['id', 'project_id', 'status']).where('id', '=', pipelineId);
  const pipeline = await found.executeTakeFirst();
  if (pipeline === undefined) return undefined;
  await cancelPipeline(uow, pipeline, { force: true });
  const more = await pieceOf(
    () => removeJobs(uow, 'pipeline_id', pipelineId, { retried: true }),
    () => removeJobs(uow, 'pipeline_id', pipelineId),
    () => removePosted(uow, 'pipeline_id', pipelineId),
  );
  if (more === undefined) await uow.deleteFrom('pipelines').where('id', '=', pipelineId).execute();
  return more;
}
