import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { world } from '#test/support/world.ts';
import { createPipelineFixture } from './fixtures.testing.ts';
import { changeJobStatus } from './index.ts';

const here = await world({ project: { readme: true, with: ['developer'] } });
const { project, developer, server, clock, runJobs } = here;

const pipelineOf = async (id: number) =>
  server.services.database.reader.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const jobOf = async (id: number) =>
  server.services.database.reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

test('runs stages in order and derives the pipeline status from the jobs', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    build: {},
    unit: { stage: 1 },
    e2e: { stage: 1 },
    ship: { stage: 2 },
  });
  const waiting = { unit: 'created', e2e: 'created', ship: 'created' };
  assert.deepEqual(await pipeline.listStatuses(), { build: 'pending', ...waiting, pipeline: 'pending' });
  clock.advance(5);
  await pipeline.runJob('build');
  assert.deepEqual(await pipeline.listStatuses(), { build: 'running', ...waiting, pipeline: 'running' });
  const { started_at } = await pipelineOf(pipeline.id);
  assert.equal(started_at, clock.now().toISOString());
  await server.services.runUnitOfWork(ANONYMOUS, async (uow) =>
    changeJobStatus(uow, await pipeline.getJobId('build'), ['running'], 'success'),
  );
  for (const name of ['unit', 'e2e']) await pipeline.runJob(name, 'success');
  clock.advance(5);
  await pipeline.runJob('ship', 'success');
  const { status, finished_at } = await pipelineOf(pipeline.id);
  assert.deepEqual([status, finished_at], ['success', clock.now().toISOString()]);
});

test('skips later stages after a failure, except on_failure and always jobs', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    build: {},
    unit: { stage: 1 },
    mend: { stage: 1, when: 'on_failure' },
    clean: { stage: 2, when: 'always' },
  });
  await pipeline.runJob('build', 'failed', { failure_reason: 'script_failure' });
  const statuses = await pipeline.listStatuses();
  assert.deepEqual(statuses, {
    build: 'failed',
    unit: 'skipped',
    mend: 'pending',
    clean: 'created',
    pipeline: 'running',
  });
  await pipeline.runJob('mend', 'success');
  await pipeline.runJob('clean', 'success');
  assert.equal((await pipeline.listStatuses()).pipeline, 'failed');
});

test('lets one of two concurrent transitions of a job succeed', async () => {
  const pipeline = await createPipelineFixture(here, project, { build: {} });
  const job = await pipeline.getJobId('build');
  const take = () =>
    server.services.runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, job, ['pending'], 'running'));
  const taken = await Promise.all([take(), take(), take()]);
  assert.equal(taken.filter((one) => one !== null).length, 1);
});

test('makes a delayed job pending at its scheduled time', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    later: { when: 'delayed', options: { start_in: 600 } },
    next: { stage: 1 },
  });
  assert.deepEqual(await pipeline.listStatuses(), { later: 'scheduled', next: 'created', pipeline: 'scheduled' });
  clock.advance(599);
  await runJobs();
  assert.equal((await pipeline.listStatuses()).later, 'scheduled');
  clock.advance(1);
  await runJobs();
  assert.equal((await pipeline.listStatuses()).later, 'pending');
});

test('retries a failed job up to the configured number, for the configured reasons', async () => {
  const retry = { max: 2, when: ['script_failure'], exit_codes: [7] };
  const pipeline = await createPipelineFixture(here, project, {
    flaky: { options: { retry }, row: { timeout: 90, tags: ['x'] } },
  });
  const first = await pipeline.getJobId('flaky');
  await pipeline.runJob('flaky', 'failed', { failure_reason: 'script_failure' });
  const second = await pipeline.getJobId('flaky');
  assert.notEqual(second, first);
  assert.deepEqual([(await jobOf(first)).retried, (await jobOf(second)).timeout], [true, 90]);
  await pipeline.runJob('flaky', 'failed', { failure_reason: 'unknown_failure', exit_code: 7 });
  assert.notEqual(await pipeline.getJobId('flaky'), second);
  await pipeline.runJob('flaky', 'failed', { failure_reason: 'script_failure' });
  assert.deepEqual(await pipeline.listStatuses(), { flaky: 'failed', pipeline: 'failed' });
});

test('does not retry a failure for another reason', async () => {
  const retry = { max: 2, when: ['runner_system_failure'], exit_codes: [] };
  const pipeline = await createPipelineFixture(here, project, {
    once: { options: { retry } },
    never: { options: { retry: { ...retry, when: ['always'] } } },
  });
  await pipeline.runJob('once', 'failed', { failure_reason: 'script_failure' });
  await pipeline.runJob('never', 'failed', { failure_reason: 'user_blocked' });
  assert.deepEqual(await pipeline.listStatuses(), { once: 'failed', never: 'failed', pipeline: 'failed' });
});

test('a job may fail with the exit codes that its file allows, and its next attempt only with these again', async () => {
  const options = { allow_failure_exit_codes: [3] };
  const pipeline = await createPipelineFixture(here, project, { odd: { options }, next: { stage: 1 } });
  await pipeline.runJob('odd', 'failed', { failure_reason: 'script_failure', exit_code: 3 });
  assert.deepEqual(await pipeline.listStatuses(), { odd: 'failed', next: 'pending', pipeline: 'pending' });
  await developer.post(`${project.at}/jobs/${await pipeline.getJobId('odd')}/retry`);
  assert.equal((await jobOf(await pipeline.getJobId('odd'))).allow_failure, false);
});
