import { sql } from 'kysely';
import type { EnvironmentRow } from '../../../access/environments.ts';
import { type JobRow, jobColumns } from '../../../access/jobs.ts';
import { findPipeline, type PipelineRow } from '../../../access/pipelines.ts';
import type { Reader } from '../../../database/database.ts';
import { type Params, prepare } from '../../../database/prepare.ts';
import type { DeploymentStatus } from '../../../database/tables/environments.ts';

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
  if (last?.pipeline_id == null) return null;
  const jobs = await actionsOf(db, { environment: id, pipeline: last.pipeline_id });
  const pipeline = jobs.length === 0 ? null : await findPipeline(db, project_id, last.pipeline_id);
  return pipeline && { pipeline, jobs };
}

interface Finished {
  readonly id: number;
  readonly finished_at: string | null;
  /** Null: no job has made it, or the job is gone. */
  readonly pipeline_id: number | null;
}

const FINISHED = ['success', 'failed', 'canceled'] as const;

/** The one of an environment's deployments that has finished last, however it has. */
async function lastFinished(db: Reader, environment: number): Promise<Finished | undefined> {
  const each: (Finished | undefined)[] = [];
  for (const status of FINISHED) each.push(await lastInStatus.first(db, { environment, status }));
  return each.filter((one) => one !== undefined).toSorted(latestFirst)[0];
}

/** The moments have one form, so that their texts compare as they do. */
function latestFirst(one: Finished, other: Finished): number {
  const [when, whenOther] = [one.finished_at ?? '', other.finished_at ?? ''];
  if (when === whenOther) return other.id - one.id;
  return when < whenOther ? 1 : -1;
}

// index: deployments_finished, jobs primary key
export const lastInStatus = prepare((db, value: Params<{ environment: number; status: DeploymentStatus }>) =>
  db
    .selectFrom('deployments')
    .leftJoin('jobs', 'jobs.id', 'deployments.job_id')
    .select(['deployments.id', 'deployments.finished_at', 'jobs.pipeline_id'])
    .where('deployments.environment_id', '=', value('environment'))
    .where('deployments.status', '=', value('status'))
    .orderBy('deployments.finished_at', 'desc')
    .orderBy('deployments.id', 'desc')
    .limit(1),
);

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
