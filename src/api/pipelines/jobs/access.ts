import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findPipeline, mayUpdateJobsOn } from '#authorization/pipelines.ts';
import { mayActForDeployment } from '#authorization/protected-environments/deployment-jobs.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { findJob, type JobRow } from '#domain/jobs.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

// Access to jobs (contract/runners.md §5).

/** The job in the path. */
const jobResource = {
  name: 'job',
  params: { job_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly job_id: number }>, { project }: { readonly project: Project }) =>
    findJob(db, project.id, params.job_id),
  notFound: genericNotFound,
} as const;

type JobAccess = Access<
  { project: Project; caller: SignedInCaller } & { readonly job: JobRow },
  typeof jobResource.params
>;

/** Access for signed-in callers who may read jobs. */
export function readJobAccess(): JobAccess {
  return inProject('read_job').resource(jobResource);
}

/** Requires a Developer who may push to the ref of the job; otherwise 403. */
export function updateJobAccess(): JobAccess {
  return readJobAccess()
    .require(async ({ db, caller }, { project, job }) => {
      if (!(await mayUpdateJob(db, caller, project, job))) throw forbidden();
    })
    .withLabel('project:update_pipeline + push to its ref');
}

/** Like `updateJobAccess`, but also allows users who may deploy to the job's protected environment. */
export function runJobAccess(): JobAccess {
  return readJobAccess()
    .require(async ({ db, caller, services }, { project, job }) => {
      if (!(await mayRunJob(db, services.config.tier, caller, project, job))) throw forbidden();
    })
    .withLabel('project:update_pipeline + push to its ref, or deploy to its environment');
}

async function mayRunJob(db: Reader, tier: Tier, caller: Caller, project: Project, job: JobRow): Promise<boolean> {
  return (await mayUpdateJob(db, caller, project, job)) || (await mayActForDeployment(db, tier, caller, project, job));
}

async function mayUpdateJob(db: Reader, caller: Caller, project: Project, job: JobRow): Promise<boolean> {
  const pipeline = await findPipeline(db, project.id, job.pipeline_id);
  return pipeline !== null && mayUpdateJobsOn(db, caller, project, pipeline);
}

/** Returns whether the caller may force-cancel jobs, erase jobs of other users and delete artifacts. */
export function mayAdministerPipelines(caller: Caller, project: Project): boolean {
  return mayInProject(caller, 'admin_pipeline', project);
}
