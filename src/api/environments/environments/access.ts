import { sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findPipeline, mayUpdateJobsOn, type PipelineRow } from '#authorization/pipelines.ts';
import { mayDeployToEnvironment } from '#authorization/protected-environments/deployment-rules.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/schema.ts';
import { findLastFinishedDeployment } from '#domain/deployments.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { findJob, type JobRow, jobColumns } from '#domain/jobs.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { canSeeProject, findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';

// Rights to stop and delete environments (contract/environments.md "Rights").

/** Returns whether the caller may stop the environment in its current state. */
export async function mayStopEnvironment(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
): Promise<boolean> {
  if (!mayInProject(caller, 'stop_environment', project)) return false;
  if (!(await mayDeployToEnvironment(db, tier, caller, project, environment))) return false;
  const actions = environment.state === 'available' ? await findStopActions(db, environment) : null;
  return actions === null || mayPlayStopActions(db, caller, project, actions);
}

/** Returns whether the caller may delete the environment once it is stopped. */
export async function mayDeleteEnvironment(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
): Promise<boolean> {
  if (!mayInProject(caller, 'destroy_environment', project)) return false;
  return mayDeployToEnvironment(db, tier, caller, project, environment);
}

/** Returns whether the caller may play the stop jobs. Maintainers may always. */
async function mayPlayStopActions(
  db: Reader,
  caller: Caller,
  project: Project,
  { pipeline }: StopActions,
): Promise<boolean> {
  return getProjectRole(caller, project) >= MAINTAINER || mayUpdateJobsOn(db, caller, project, pipeline);
}

/** Returns whether the job's user may still play it. The job runs on behalf of that user, with their current rights. */
export async function mayJobUserPlay(
  db: Reader,
  tier: Tier,
  { user_id }: JobRow,
  pipeline: PipelineRow,
  environment: EnvironmentRow,
): Promise<boolean> {
  const caller = await loadCaller(db, user_id, null);
  const project = await findProject(db, caller, String(environment.project_id));
  if (caller.user?.state !== 'active' || project === null || !canSeeProject(caller, project)) return false;
  if (!(await mayUpdateJobsOn(db, caller, project, pipeline))) return false;
  return mayDeployToEnvironment(db, tier, caller, project, environment);
}

// Jobs that stop environments (contract/environments.md "Stop actions").

/** The stop jobs of an environment, all of one pipeline. */
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
  const jobs = await listStopActionJobs(db, { environment: id, pipeline: triggeringJob.pipeline_id });
  const pipeline = jobs.length === 0 ? null : await findPipeline(db, project_id, triggeringJob.pipeline_id);
  return pipeline && { pipeline, jobs };
}

/** Statuses of jobs that ran to their end. */
const FINISHED_STATUSES: readonly JobStatus[] = ['success', 'failed', 'canceled'];

// index: jobs_with_environment, deployments_by_job, jobs_latest_by_name
export const listStopActionJobs = prepare((db, value: Params<{ environment: number; pipeline: number }>) =>
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
