import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { Transaction } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { cancelPipeline, retryPipeline } from '../processing/index.ts';

type Outcome<Code extends string = never> = Promise<PipelineRow | Failure<'gone' | Code>>;

/** Runs again what has failed or was canceled. */
export async function retry(uow: UnitOfWork, { id, project_id }: PipelineRow): Outcome {
  await retryPipeline(uow, { id, project_id });
  return again(uow, { id, project_id });
}

/** Cancels what has not ended; where nothing can be, it stays as it is. */
export async function cancel(uow: UnitOfWork, { id, project_id }: PipelineRow): Outcome {
  const now = await findPipeline(uow, project_id, id);
  if (now === null) return fail('gone');
  await cancelPipeline(uow, now);
  return again(uow, now);
}

/** Gives it a name. index: pipelines primary key */
export async function rename(uow: UnitOfWork, pipeline: PipelineRow, name: string): Outcome<'invalid'> {
  if (name.length > 255) return invalid({ name: ['is too long (maximum is 255 characters)'] });
  await uow.updateTable('pipelines').set({ name, updated_at: uow.now }).where('id', '=', pipeline.id).execute();
  return again(uow, pipeline);
}

async function again(tx: Transaction, { id, project_id }: Pick<PipelineRow, 'id' | 'project_id'>): Outcome {
  return (await findPipeline(tx, project_id, id)) ?? fail('gone');
}
