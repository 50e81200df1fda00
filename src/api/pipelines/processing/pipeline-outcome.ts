import { type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { PipelineStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/**
 * The outcomes of pipelines that users are notified of (contract/activity.md Part 5): success or failure. A success
 * counts as fixed if the latest outcome of the same ref is a failure. A pipeline that runs again may
 * have an earlier outcome of its own.
 */

type PipelineOutcome = 'success' | 'failed';

const isOutcome = (status: PipelineStatus): status is PipelineOutcome => status === 'success' || status === 'failed';

/** Stores the outcome and publishes the events, in the unit of work that sets the pipeline status. */
export async function recordOutcome(uow: UnitOfWork, pipelineId: number, status: PipelineStatus): Promise<void> {
  if (isOutcome(status) || status === 'skipped') await uow.publish('pipeline-finished', { pipelineId, status });
  if (!isOutcome(status)) return;
  const isFixed = status === 'success' && (await wasFailing(uow, pipelineId));
  await uow.updateTable('pipelines').set({ outcome: status }).where('id', '=', pipelineId).execute();
  const event = status === 'failed' ? 'failed_pipeline' : isFixed ? 'fixed_pipeline' : 'success_pipeline';
  await uow.publish('notifiable-event-occurred', { event, about: { type: 'Pipeline', id: pipelineId } });
}

// A literal condition, so that the planner uses the partial index.
const HAS_OUTCOME = sql<SqlBool>`latest.outcome is not null`;

/**
 * Returns whether the latest pipeline of this ref with an outcome has failed. False if that pipeline is newer than this
 * one: then this one fixes nothing.
 * index: pipelines primary key, pipelines_with_outcome
 */
async function wasFailing(db: Reader, pipelineId: number): Promise<boolean> {
  const row = await db
    .selectFrom('pipelines')
    .innerJoin('pipelines as latest', (join) =>
      join
        .onRef('latest.project_id', '=', 'pipelines.project_id')
        .onRef('latest.ref', '=', 'pipelines.ref')
        .onRef('latest.tag', '=', 'pipelines.tag'),
    )
    .select(['latest.id', 'latest.outcome'])
    .where('pipelines.id', '=', pipelineId)
    .where(HAS_OUTCOME)
    .orderBy('latest.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined && row.id <= pipelineId && row.outcome === 'failed';
}
