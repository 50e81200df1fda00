import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { Transaction } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { cancelPipeline, retryPipeline } from '../processing/index.ts';

type PipelineResult<Code extends string = never> = Promise<PipelineRow | Failure<'notFound' | Code>>;

/** Retries failed and canceled jobs of a pipeline and returns the pipeline. */
export async function retryAndReloadPipeline(uow: UnitOfWork, { id, project_id }: PipelineRow): PipelineResult {
  await retryPipeline(uow, { id, project_id });
  return reloadPipeline(uow, { id, project_id });
}

/** Cancels the unfinished jobs of a pipeline and returns the pipeline. A finished pipeline stays as it is. */
export async function cancelAndReloadPipeline(uow: UnitOfWork, { id, project_id }: PipelineRow): PipelineResult {
  const current = await findPipeline(uow, project_id, id);
  if (current === null) return fail('notFound');
  await cancelPipeline(uow, current);
  return reloadPipeline(uow, current);
}

/** Sets the name of a pipeline. index: pipelines primary key */
export async function renamePipeline(uow: UnitOfWork, pipeline: PipelineRow, name: string): PipelineResult<'invalid'> {
  if (name.length > 255) return invalid({ name: ['is too long (maximum is 255 characters)'] });
  await uow.updateTable('pipelines').set({ name, updated_at: uow.now }).where('id', '=', pipeline.id).execute();
  return reloadPipeline(uow, pipeline);
}

async function reloadPipeline(
  tx: Transaction,
  { id, project_id }: Pick<PipelineRow, 'id' | 'project_id'>,
): PipelineResult {
  return (await findPipeline(tx, project_id, id)) ?? fail('notFound');
}
