import { sql } from 'kysely';
import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import { lastFinished } from '#domain/deployments.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { findJob, type JobRow, jobColumns } from '#domain/jobs.ts';

/** The jobs that stop what others have started (contract/environments.md "Stop actions"). */

export interface StopActions {
  readonly pipeline: PipelineRow;
  /** In the order of their ids; at least one. */
  readonly jobs: readonly JobRow[];
}

/**
 * Of the pipeline that has brought an environment last to what it is: those that its finished jobs name as `on_stop`, and
 * that somebody may play, or has played. Null: there are none, or the API has brought it there.
 */
export async function stopActions(
  db: Reader,
  { id, project_id }: Pick<EnvironmentRow, 'id' | 'project_id'>,
): Promise<StopActions | null> {
  const last = await lastFinished(db, id);
  const by = last?.job_id == null ? null : await findJob(db, project_id, last.job_id);
  if (by === null) return null;
  const jobs = await actionsOf(db, { environment: id, pipeline: by.pipeline_id });
  const pipeline = jobs.length === 0 ? null : await findPipeline(db, project_id, by.pipeline_id);
  return pipeline && { pipeline, jobs };
}

/** How a job has run to its end. */
const FINISHED: readonly JobStatus[] = ['success', 'failed', 'canceled'];

// index: jobs_with_environment, deployments_by_job, jobs_latest_by_name
export const actionsOf = prepare((db, value: Params<{ environment: number; pipeline: number }>) =>
  db
    .selectFrom('jobs')
    .select(jobColumns)
    .where('jobs.pipeline_id', '=', value('pipeline'))
    .where(sql<boolean>`not jobs.retried`)
    .where('jobs.run_when', '=', sql.lit('manual' as const))
    .where('jobs.status', 'in', ['manual', ...FINISHED])
    .where('jobs.name', 'in', (eb) =>
      eb
        .selectFrom('jobs as deploying')
        .innerJoin('deployments', 'deployments.job_id', 'deploying.id')
        .select('deployments.on_stop')
        .where('deploying.pipeline_id', '=', value('pipeline'))
        .where(sql<boolean>`deploying.environment is not null`)
        .where(sql<boolean>`not deploying.retried`)
        .where('deploying.status', 'in', FINISHED)
        .where('deployments.environment_id', '=', value('environment'))
        .$castTo<{ on_stop: string }>(),
    )
    .orderBy('jobs.id'),
);
