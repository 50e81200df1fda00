import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobRun } from '#test/support/job-run.ts';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';
import { endStuckJobs, failOverdueJobs } from './stuck-jobs.ts';

// Jobs whose runners no longer report (contract/runners.md "Background work").

const here = await world({ project: {} });
const { anonymous, project, clock, server } = here;
const run = jobRun();

const rowOf = (id: number) =>
  server.services.database.reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('fails a job 15 minutes after its timeout, finished at the time of the timeout', async () => {
  const { id } = await runningJob(here, project, { timeout: 600 });
  const { started_at } = await rowOf(id);
  clock.advance(600 + 900);
  await failOverdueJobs.handle(server.services, {}, run);
  assert.equal((await rowOf(id)).status, 'running');
  clock.advance(1);
  await failOverdueJobs.handle(server.services, {}, run);
  const { status, failure_reason, finished_at } = await rowOf(id);
  assert.deepEqual([status, failure_reason], ['failed', 'job_execution_timeout']);
  assert.equal(Date.parse(finished_at ?? '') - Date.parse(started_at ?? ''), 600_000);
});

test('fails a running job without a heartbeat for an hour', async () => {
  const silent = await runningJob(here, project, { timeout: 86_400 });
  const alive = await runningJob(here, project, { timeout: 86_400 });
  clock.advance(3000);
  await anonymous.put(`/jobs/${alive.id}`, { token: alive.token, state: 'running' });
  clock.advance(601);
  await endStuckJobs.handle(server.services, {}, run);
  const { status, failure_reason } = await rowOf(silent.id);
  assert.deepEqual([status, failure_reason], ['failed', 'stuck_or_timeout_failure']);
  assert.equal((await rowOf(alive.id)).status, 'running');
});

test('cancels a job that has been canceling for an hour', async () => {
  const { id } = await runningJob(here, project, { status: 'canceling' });
  clock.advance(3601);
  await endStuckJobs.handle(server.services, {}, run);
  assert.equal((await rowOf(id)).status, 'canceled');
});
