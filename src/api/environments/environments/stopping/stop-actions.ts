import { sql } from 'kysely';
import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/schema.ts';
import { findLastFinishedDeployment } from '#domain/deployments.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { findJob, type JobRow, jobColumns } from '#domain/jobs.ts';

// Jobs that stop environments (contract/environments.md "Stop actions").

export interface StopActions {
  readonly pipeline: PipelineRow;
  /** Ordered by id; at least one. */
  readonly jobs: readonly JobRow[];
}

/**
 * Returns the stop jobs of the environment: the manual jobs that its last pipeline's finished deploying jobs name as `on_stop`.
 * Returns null if there are none or the last deployment was reported by the API.
 */
export async function findStopActions(
  db: Reader,
  { id, project_id }: Pick<EnvironmentRow, 'id' | 'project_id'>,
): Promise<StopActions | null> {
  const lastDeployment = await findLastFinishedDeployment(db, id);
  const triggeringJob = lastDeployment?.job_id == null ? null : await findJob(db, project_id, lastDeployment.job_id);
  if (triggeringJob === null) return null;
  const jobs = await stopActionQuery(db, { environment: id, pipeline: triggeringJob.pipeline_id });
  const pipeline = jobs.length === 0 ? null : await findPipeline(db, project_id, triggeringJob.pipeline_id);
  return pipeline && { pipeline, jobs };
}

/** Statuses of jobs that ran to their end. */
const FINISHED_STATUSES: readonly JobStatus[] = ['success', 'failed', 'canceled'];

// index: jobs_with_environment, deployments_by_job, jobs_latest_by_name
export const stopActionQuery = prepare((db, value: Params<{ environment: number; pipeline: number }>) =>
  db
    .selectFrom('jobs')
    .select(jobColumns)
    .where('jobs.pipeline_id', '=', value('pipeline'))
    .where(sql<boolean>`not jobs.retried`)
    .where('jobs.run_when', '=', sql.lit('manual' as const))
    .where('jobs.status', 'in', ['manual', ...FINISHED_STATUSES])
    .where('jobs.name', 'in', (eb) =>
      eb
        .selectFrom('jobs as deploying')
        .innerJoin('deployments', 'deployments.job_id', 'deploying.id')
        .select('deployments.on_stop')
        .where('deploying.pipeline_id', '=', value('pipeline'))
        .where(sql<boolean>`deploying.environment is not null`)
        .where(sql<boolean>`not deploying.retried`)
        .where('deploying.status', 'in', FINISHED_STATUSES)
        .where('deployments.environment_id', '=', value('environment'))
        .$castTo<{ on_stop: string }>(),
    )
    .orderBy('jobs.id'),
);
