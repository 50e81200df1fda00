import { mayListRunnerJobs } from '#authorization/runners.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { runnerAccess } from '../runners/index.ts';
import { RunnerJob } from './entities.ts';
import { runnerJobsParams } from './parameters.ts';
import { listJobsOfRunner, RUNNER_JOBS_KEYSET } from './store.ts';

/** Job lists of a runner (contract/runners.md §1.5). */

export const listRunnerJobs = endpoint({
  get: '/runners/:id/jobs',
  summary: 'List the jobs of a runner',
  access: runnerAccess(mayListRunnerJobs, 'jobs'),
  scopes: ['manage_runner'],
  params: { system_id: optional(string), ...runnerJobsParams },
  keyset: RUNNER_JOBS_KEYSET,
  response: page(RunnerJob),
  read: (db, { runner, caller, params, page }) => listJobsOfRunner(db, caller, runner.id, params, page),
});

export const listRunnerManagerJobs = endpoint({
  get: '/runners/:id/managers/:system_id/jobs',
  summary: 'List the jobs of a runner manager',
  access: runnerAccess(mayListRunnerJobs, 'jobs'),
  scopes: ['manage_runner'],
  params: { system_id: required(string), ...runnerJobsParams },
  keyset: RUNNER_JOBS_KEYSET,
  response: page(RunnerJob),
  read: (db, { runner, caller, params, page }) => listJobsOfRunner(db, caller, runner.id, params, page),
});
