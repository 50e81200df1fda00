import { inProject, inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { mayCancel, pipelineOfPath } from '../pipelines/index.ts';
import { jobsTurn } from '../processing/index.ts';
import { maySetPipelineVariables } from '../variables/index.ts';
import { actingOnJob, mayForce, readingJob, runningJob } from './access.ts';
import { cancel, play, retry } from './cancel-retry-play.ts';
import { Job } from './entities.ts';
import { erase } from './erase.ts';
import { listParams, pipelineJobsParams, playParams } from './parameters.ts';
import { sealed } from './play-variables.ts';
import { JOBS_KEYSET, listJobs as list, listJobsOfPipeline } from './store.ts';

/** Jobs as users see them and act on them (contract/runners.md §5). */

export const listProjectJobs = endpoint({
  get: '/projects/:id/jobs',
  summary: 'List the jobs of a project',
  access: inProject('read_job'),
  allowJobToken: true,
  params: listParams,
  keyset: JOBS_KEYSET,
  response: page(Job),
  read: (db, { project, params, page }) => list(db, project.id, params, page),
});

export const listPipelineJobs = endpoint({
  get: '/projects/:id/pipelines/:pipeline_id/jobs',
  summary: 'List the jobs of a pipeline',
  access: inPublicProject('read_job').resource(pipelineOfPath),
  allowJobToken: true,
  params: pipelineJobsParams,
  response: page(Job),
  read: (db, { pipeline, params, page }) => listJobsOfPipeline(db, pipeline.id, params, page),
});

export const readJob = endpoint({
  get: '/projects/:id/jobs/:job_id',
  summary: 'Read a job',
  access: readingJob(),
  response: ok(Job),
  read: (_db, { job }) => job,
});

export const cancelJob = endpoint({
  post: '/projects/:id/jobs/:job_id/cancel',
  summary: 'Cancel a job',
  access: runningJob(),
  params: { force: optional(boolean, false) },
  lock: ({ job }) => jobsTurn(job.project_id),
  errors: { forbidden: FORBIDDEN, gone: NOT_FOUND },
  response: created(Job),
  write: (uow, { project, job, caller, params: { force } }) => {
    const may = mayCancel(uow.tier, caller, project) && (!force || mayForce(caller, project));
    return may ? cancel(uow, job, force) : Promise.resolve(fail('forbidden'));
  },
});

export const retryJob = endpoint({
  post: '/projects/:id/jobs/:job_id/retry',
  summary: 'Run a job again that has ended',
  access: runningJob(),
  lock: ({ job }) => jobsTurn(job.project_id),
  errors: { notRetryable: [403, '403 Forbidden - Job is not retryable'], forbidden: FORBIDDEN, gone: NOT_FOUND },
  response: created(Job),
  write: (uow, { job }) => retry(uow, job),
});

export const playJob = endpoint({
  post: '/projects/:id/jobs/:job_id/play',
  summary: 'Start a job that waits for somebody to do so',
  access: runningJob(),
  params: playParams,
  errors: { unplayable: [400, '400 Bad request - Unplayable Job'], forbidden: FORBIDDEN, gone: NOT_FOUND },
  response: ok(Job),
  async handle({ project, job, caller, params }, { runUnitOfWork, secretKey }) {
    const given = params.job_variables_attributes ?? [];
    if (given.length > 0 && !maySetPipelineVariables(caller, project)) return fail('forbidden');
    const variables = sealed(await secretKey(), given);
    return runUnitOfWork(caller, (uow) => play(uow, job, variables), { turn: jobsTurn(job.project_id) });
  },
});

export const eraseJob = endpoint({
  post: '/projects/:id/jobs/:job_id/erase',
  summary: 'Delete the log and the files of a job',
  access: actingOnJob(),
  errors: { forbidden: FORBIDDEN, notErasable: [403, '403 Forbidden - Job is not erasable!'] },
  response: created(Job),
  write(uow, { project, job, caller }) {
    const isOwn = job.user_id === caller.user.id && !job.protected;
    return isOwn || mayForce(caller, project) ? erase(uow, job) : Promise.resolve(fail('forbidden'));
  },
});
