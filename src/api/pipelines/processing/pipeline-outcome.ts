import { type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { PipelineStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/**
 * How pipelines end, as far as anybody is told (contract/activity.md Part 5): with success, or by having failed. What the
 * latest of a ref came to is what the next one is measured by; one that is run again has come to something before.
 */

type PipelineOutcome = 'success' | 'failed';

const isOutcome = (status: PipelineStatus): status is PipelineOutcome => status === 'success' || status === 'failed';

/** Part of the act that has just brought the pipeline to this status. */
export async function recordOutcome(uow: UnitOfWork, pipelineId: number, status: PipelineStatus): Promise<void> {
  if (!isOutcome(status)) return;
  const mended = status === 'success' && (await wasFailing(uow, pipelineId));
  await uow.updateTable('pipelines').set({ outcome: status }).where('id', '=', pipelineId).execute();
  const event = status === 'failed' ? 'failed_pipeline' : mended ? 'fixed_pipeline' : 'success_pipeline';
  await uow.publish('notifiable-event-occurred', { event, about: { type: 'Pipeline', id: pipelineId } });
}

// Written out, because only so does the index of those serve.
const HAS_OUTCOME = sql<SqlBool>`latest.outcome is not null`;

/**
 * Had the latest pipeline of its ref that has come to something failed? Where that is one newer than this, nothing is mended
 * any more. index: pipelines primary key, pipelines_with_outcome
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
