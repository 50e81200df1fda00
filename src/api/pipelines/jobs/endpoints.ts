import type { KeyObject } from 'node:crypto';
import type { JobRow } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import { mayCancelJobs, pipelineResource } from '../pipelines/index.ts';
import { hasFinished, jobsLockKey } from '../processing/index.ts';
import { canSetPipelineVariables } from '../variables/index.ts';
import { mayAdministerPipelines, readJobAccess, runJobAccess, updateJobAccess } from './access.ts';
import { cancelAndReloadJob, playAndReloadJob, retryAndReloadJob } from './cancel-retry-play.ts';
import { Job } from './entities.ts';
import { listParams, pipelineJobsParams, playParams } from './parameters.ts';
import { JOBS_KEYSET, listJobs, listJobsOfPipeline } from './store.ts';

/** Endpoints for users to read jobs and act on them (contract/runners.md §5). */

export const listProjectJobs = endpoint({
  get: '/projects/:id/jobs',
  summary: 'List the jobs of a project',
  access: inProject('read_job'),
  allowJobToken: true,
  params: listParams,
  keyset: JOBS_KEYSET,
  response: page(Job),
  read: (db, { project, params, page }) => listJobs(db, project.id, params, page),
});

export const listPipelineJobs = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/jobs',
  summary: 'List the jobs of a pipeline',
  access: inProjectAllowingAnonymous('read_job').resource(pipelineResource),
  allowJobToken: true,
  params: pipelineJobsParams,
  response: page(Job),
  read: (db, { pipeline, params, page }) => listJobsOfPipeline(db, pipeline.id, params, page),
});

export const getJob = endpoint({
  get: '/projects/:id/jobs/:job_id',
  summary: 'Get a job',
  access: readJobAccess(),
  response: ok(Job),
  read: (_db, { job }) => job,
});

export const cancelJob = endpoint({
  post: '/projects/:id/jobs/:job_id/cancel',
  summary: 'Cancel a job',
  access: runJobAccess(),
  params: { force: optional(boolean, false) },
  lock: ({ job }) => jobsLockKey(job.project_id),
  errors: { forbidden: FORBIDDEN, notFound: NOT_FOUND },
  response: created(Job),
  write: (uow, { project, job, caller, params: { force } }) => {
    const isAllowed = mayCancelJobs(uow.tier, caller, project) && (!force || mayAdministerPipelines(caller, project));
    return isAllowed ? cancelAndReloadJob(uow, job, force) : Promise.resolve(fail('forbidden'));
  },
});

export const retryJob = endpoint({
  post: '/projects/:id/jobs/:job_id/retry',
  summary: 'Retry a job',
  access: runJobAccess(),
  lock: ({ job }) => jobsLockKey(job.project_id),
  errors: { notRetryable: [403, '403 Forbidden - Job is not retryable'], forbidden: FORBIDDEN, notFound: NOT_FOUND },
  response: created(Job),
  write: (uow, { job }) => retryAndReloadJob(uow, job),
});

export const playJob = endpoint({
  post: '/projects/:id/jobs/:job_id/play',
  summary: 'Play a manual or delayed job',
  access: runJobAccess(),
  params: playParams,
  errors: { unplayable: [400, '400 Bad request - Unplayable Job'], forbidden: FORBIDDEN, notFound: NOT_FOUND },
  response: ok(Job),
  async handle({ project, job, caller, params }, { runUnitOfWork, secretKey }) {
    const variableInputs = params.job_variables_attributes ?? [];
    if (variableInputs.length > 0 && !canSetPipelineVariables(caller, project)) return fail('forbidden');
    const variables = encryptJobVariables(await secretKey(), variableInputs);
    return runUnitOfWork(caller, (uow) => playAndReloadJob(uow, job, variables), { lock: jobsLockKey(job.project_id) });
  },
});

export const eraseJob = endpoint({
  post: '/projects/:id/jobs/:job_id/erase',
  summary: 'Erase the log and artifacts of a job',
  access: updateJobAccess(),
  errors: { forbidden: FORBIDDEN, notErasable: [403, '403 Forbidden - Job is not erasable!'] },
  response: created(Job),
  write(uow, { project, job, caller }) {
    const isOwn = job.user_id === caller.user.id && !job.protected;
    return isOwn || mayAdministerPipelines(caller, project)
      ? eraseJobData(uow, job)
      : Promise.resolve(fail('forbidden'));
  },
});

/** Encrypts the variables given when a job is played. The last value of a duplicate key wins. */
function encryptJobVariables(
  secretKey: KeyObject,
  variables: readonly { readonly key: string; readonly value: string }[],
) {
  const valuesByKey = new Map(variables.map((variable) => [variable.key, variable.value]));
  return [...valuesByKey].map(([key, value]) => ({
    key,
    value: encrypt(secretKey, value, ENCRYPTED_COLUMNS.jobVariable.buildContext({})),
  }));
}

/**
 * Permanently deletes the log and artifacts of a finished job (contract/runners.md §5.4). Fails if there is nothing to
 * erase.
 */
async function eraseJobData(uow: UnitOfWork, job: JobRow): Promise<JobRow | Failure<'notErasable'>> {
  if (!hasFinished(job.status)) return fail('notErasable');
  const artifacts = await uow.deleteFrom('job_artifacts').where('job_id', '=', job.id).executeTakeFirst();
  const heldBytes = await uow
    .updateTable('jobs')
    .set({ trace_held: null })
    .where('id', '=', job.id)
    .where('trace_held', 'is not', null)
    .executeTakeFirst();
  const chunks = await uow.deleteFrom('job_trace_chunks').where('job_id', '=', job.id).executeTakeFirst();
  if (artifacts.numDeletedRows + chunks.numDeletedRows + heldBytes.numUpdatedRows === 0n) return fail('notErasable');
  const change = { erased_at: uow.now, artifacts_expire_at: null, trace_size: 0 };
  await uow.updateTable('jobs').set(change).where('id', '=', job.id).execute();
  return { ...job, ...change };
}
