import type { KeyObject } from 'node:crypto';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { AuthenticatedJob } from '#authorization/job-authentication.ts';
import { mayListRunnerJobs } from '#authorization/runners.ts';
import { findJob, type JobRow } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { access, requireSignedIn } from '#http/access/access.ts';
import { jobTokenAccess } from '#http/access/job-access.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page, streamWith } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, object, optional, required } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, integer, oneOf } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import { mayCancelJobs, pipelineResource, STATUSES, statusesParam } from '../pipelines/index.ts';
import { hasFinished, jobsLockKey } from '../processing/index.ts';
import { runnerAccess } from '../runners/index.ts';
import { canSetPipelineVariables } from '../variables/index.ts';
import { mayAdministerPipelines, readJobAccess, runJobAccess, updateJobAccess } from './access.ts';
import { applyJobReport, cancelAndReloadJob, playAndReloadJob, retryAndReloadJob } from './changes.ts';
import { Job, RunnerJob } from './entities.ts';
import { JOBS_KEYSET, listJobs, listJobsOfPipeline, listJobsOfRunner, RUNNER_JOBS_KEYSET } from './store.ts';

const runnerJobsParams = {
  status: optional(oneOf(...STATUSES)),
  order_by: describe(optional(oneOf('id')), 'With this parameter, the newest jobs come first by default.'),
  sort: describe(optional(oneOf('asc', 'desc')), 'Has no effect without `order_by`.'),
};

// Endpoints for users to read jobs and act on them (contract/runners.md §5).

export const listProjectJobs = endpoint({
  get: '/projects/:id/jobs',
  summary: 'List the jobs of a project',
  description: 'Returns the latest attempt of each job, newest first. Retried attempts are left out.',
  access: inProject('read_job'),
  allowJobToken: true,
  params: { scope: statusesParam, ref: describe(optional(refName), 'Short name of a branch or tag.') },
  keyset: JOBS_KEYSET,
  response: page(Job),
  read: (db, { project, params, page }) => listJobs(db, project.id, params, page),
});

export const listPipelineJobs = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/jobs',
  summary: 'List the jobs of a pipeline',
  description:
    'Returns the jobs newest first; retried attempts only with `include_retried`. Trigger jobs do not exist, and external commit statuses are not jobs.',
  access: inProjectAllowingAnonymous('read_job').resource(pipelineResource),
  allowJobToken: true,
  params: {
    scope: statusesParam,
    include_retried: describe(optional(boolean, false), 'Whether to include attempts that were retried.'),
  },
  response: page(Job),
  read: (db, { pipeline, params, page }) => listJobsOfPipeline(db, pipeline.id, params, page),
});

export const getJob = endpoint({
  get: '/projects/:id/jobs/:job_id',
  summary: 'Get a job',
  description:
    '`artifacts` lists all files that can be downloaded, including the log; `artifacts_file` is the archive.',
  access: readJobAccess(),
  response: ok(Job),
  read: (_db, { job }) => job,
});

export const cancelJob = endpoint({
  post: '/projects/:id/jobs/:job_id/cancel',
  summary: 'Cancel a job',
  description:
    'A job that is waiting is canceled immediately. A running job becomes `canceling` if its runner can end it gracefully, else `canceled`. A finished job is returned unchanged. The setting `ci_restrict_pipeline_cancellation_role` of the project can restrict who may cancel.',
  access: runJobAccess(),
  params: {
    force: describe(
      optional(boolean, false),
      'Ends a job that is `canceling` without waiting for its runner, and no other job; requires the Maintainer role.',
    ),
  },
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
  description:
    'Creates a new job with another id, and marks the old one as retried. Later jobs that were skipped wait again. Only the latest attempt of a finished job can be retried. Answers 403 if the caller may not deploy to the environment of the job.',
  access: runJobAccess(),
  lock: ({ job }) => jobsLockKey(job.project_id),
  errors: { notRetryable: [403, '403 Forbidden - Job is not retryable'], forbidden: FORBIDDEN, notFound: NOT_FOUND },
  response: created(Job),
  write: (uow, { job }) => retryAndReloadJob(uow, job),
});

export const playJob = endpoint({
  post: '/projects/:id/jobs/:job_id/play',
  summary: 'Play a manual or delayed job',
  description:
    'Starts the job now; the caller becomes its user. A finished manual or delayed job is retried as a new job. Answers 400 if approvals of the deployment are missing.',
  access: runJobAccess(),
  params: {
    job_variables_attributes: describe(
      optional(arrayOf(object({ key: required(string), value: required(string) }))),
      'Additional variables of the job; the project setting `ci_pipeline_variables_minimum_override_role` decides who may set them.',
    ),
  },
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
  description:
    'Permanently deletes the log and all artifacts, and sets `erased_at`. Maintainers may erase the jobs of others; Developers only their own jobs on unprotected branches and tags. The job must have finished.',
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

// Job lists of a runner (contract/runners.md §1.5).

export const listRunnerJobs = endpoint({
  get: '/runners/:id/jobs',
  summary: 'List the jobs of a runner',
  description:
    'Returns the jobs of projects in which the caller has at least the Reporter role, oldest first unless `order_by` is given. Administrators see all jobs.',
  access: runnerAccess(mayListRunnerJobs, 'jobs'),
  scopes: ['manage_runner'],
  params: { system_id: describe(optional(string), 'Lists only the jobs of this manager.'), ...runnerJobsParams },
  keyset: RUNNER_JOBS_KEYSET,
  response: page(RunnerJob),
  read: (db, { runner, caller, params, page }) => listJobsOfRunner(db, caller, runner.id, params, page),
});

export const listRunnerManagerJobs = endpoint({
  get: '/runners/:id/managers/:system_id/jobs',
  summary: 'List the jobs of a runner manager',
  description:
    'Returns the jobs that this manager of the runner took, like the list of jobs of the runner. The list is empty for an unknown `system_id`.',
  access: runnerAccess(mayListRunnerJobs, 'jobs'),
  scopes: ['manage_runner'],
  params: { system_id: required(string), ...runnerJobsParams },
  keyset: RUNNER_JOBS_KEYSET,
  response: page(RunnerJob),
  read: (db, { runner, caller, params, page }) => listJobsOfRunner(db, caller, runner.id, params, page),
});

// Endpoints for runners to report on their jobs.

export const updateJob = endpoint({
  put: '/jobs/:id',
  summary: 'Update the state of a running job',
  description:
    'A runner reports that its job still runs or how it has ended. The header `Job-Status` has the resulting status: a job that is being canceled ends as `canceled`. A failed job may be retried or allowed to fail by its CI file. A job that has already ended answers 403.',
  access: jobTokenAccess(),
  stageOrder: 'clientToken',
  params: {
    state: required(oneOf('running', 'success', 'failed')),
    failure_reason: describe(
      optional(string),
      'Reason of the state `failed`; unknown reasons count as `unknown_failure`.',
    ),
    exit_code: describe(optional(integer), 'Exit code of the script, for `allow_failure:exit_codes` of the CI file.'),
    checksum: describe(optional(string), 'Deprecated: use `output`.'),
    output: describe(
      optional(object({ checksum: optional(string), bytesize: optional(integer) })),
      'CRC-32 of the log, as `crc32:` and hexadecimal digits; the server logs a warning if its own log differs.',
    ),
  },
  unknownIdStatus: 403,
  response: streamWith({ mediaTypes: [], headers: ['Job-Status'] }),
  async handle({ job, params }, services) {
    const status = await services.runUnitOfWork(ANONYMOUS, (uow) => applyJobReport(uow, job, params), {
      lock: jobsLockKey(job.project_id),
    });
    if (params.state !== 'running') logChecksumMismatch(services, job, params.output?.checksum ?? params.checksum);
    return { headers: { 'Job-Status': status } };
  },
});

/** Requires authentication; callers without a job token get 404. */
const ownJobAccess = access({
  audience: 'tokenHolder',
  label: 'job token',
  authenticate: requireSignedIn,
  load: async ({ caller }) => ({ caller }),
  authorize: () => {},
});

/** contract/runners.md §3.9 */
export const getOwnJob = endpoint({
  get: '/job',
  summary: 'Get the job of the job token',
  description:
    'Returns the running job whose token authenticates the request. Answers 404 to callers with other credentials.',
  access: ownJobAccess,
  allowJobToken: true,
  errors: { noJob: [404, '404 Job Not Found'] },
  response: ok(Job),
  async read(db, { caller: { job } }) {
    return (job && (await findJob(db, job.projectId, job.id))) ?? fail('noJob');
  },
});

/**
 * Logs a warning if the CRC-32 that a runner reports for the job log differs from that of the stored log. The request
 * is not rejected (contract/runners.md §3.5). Checksums of other algorithms are ignored.
 */
function logChecksumMismatch(
  { log }: Pick<Services, 'log'>,
  { id, trace_size, trace_checksum }: AuthenticatedJob,
  reportedChecksum: string | null | undefined,
): void {
  const [, digits] = /^crc32:([0-9a-f]{1,8})$/i.exec(reportedChecksum ?? '') ?? [];
  const checksum = trace_size === 0 ? 0 : trace_checksum;
  if (digits === undefined || checksum === null || Number.parseInt(digits, 16) === checksum) return;
  log.warn({ job_id: id, trace_size }, 'The stored log of a job does not match the checksum that its runner reported');
}
