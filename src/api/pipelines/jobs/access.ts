import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findPipeline, mayChangeJobsOf } from '#authorization/pipelines.ts';
import { mayActForDeployment } from '#authorization/protected-environments/deployment-jobs.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { findJob, type JobRow } from '#domain/jobs.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Who reads a job, and who acts on it (contract/runners.md §5). */

/** The job that the path names. */
const job = {
  name: 'job',
  params: { job_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly job_id: number }>, { project }: { readonly project: Project }) =>
    findJob(db, project.id, params.job_id),
  notFound: nestedNotFound,
} as const;

type OnJob = Access<{ project: Project; caller: SignedInCaller } & { readonly job: JobRow }, typeof job.params>;

export function readingJob(): OnJob {
  return inProject('read_job').resource(job);
}

/** Developers who may push to its ref. */
export function actingOnJob(): OnJob {
  return readingJob().require(async ({ db, caller }, { project, job }) => {
    if (!(await mayChangeJob(db, caller, project, job))) throw forbidden();
  }, 'project:update_pipeline + push to its ref');
}

/** They, and whom the protections of the job's environment let deploy there. */
export function runningJob(): OnJob {
  return readingJob().require(async ({ db, caller, services }, { project, job }) => {
    if (!(await mayRunJob(db, services.config.tier, caller, project, job))) throw forbidden();
  }, 'project:update_pipeline + push to its ref, or deploy there');
}

async function mayRunJob(db: Reader, tier: Tier, caller: Caller, project: Project, job: JobRow): Promise<boolean> {
  return (await mayChangeJob(db, caller, project, job)) || (await mayActForDeployment(db, tier, caller, project, job));
}

async function mayChangeJob(db: Reader, caller: Caller, project: Project, job: JobRow): Promise<boolean> {
  const pipeline = await findPipeline(db, project.id, job.pipeline_id);
  return pipeline !== null && mayChangeJobsOf(db, caller, project, pipeline);
}

/** May the caller end a job whatever its runner says? */
export function mayForce(caller: Caller, project: Project): boolean {
  return mayInProject(caller, 'admin_pipeline', project);
}
