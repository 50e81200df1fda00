import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createPipelineFixture } from '../processing/fixtures.testing.ts';

const here = await world({ project: { readme: true } });
const { project, owner, server, clock, runJobs } = here;
const { database } = server.services;

const jobOf = (id: number) =>
  database.reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function advanceHours(hours: number): Promise<void> {
  clock.advance(hours * 3600);
  await runJobs();
}

test('fails a job that waits an hour without a suitable runner, or a day with one', async () => {
  const future = '2030-01-01T00:00:00.000Z';
  await runnerRow(here, { projects: [project.id], tags: ['fit'], contacted_at: future, run_untagged: false });
  const jobs = { matched: { row: { tags: ['fit'] } }, unmatched: { row: { tags: ['fit', 'odd'] } }, untagged: {} };
  const pipeline = await createPipelineFixture(here, project, jobs);
  await advanceHours(0.9);
  assert.equal((await pipeline.listStatuses()).unmatched, 'pending');
  await advanceHours(1.2);
  assert.deepEqual(await pipeline.listStatuses(), {
    matched: 'pending',
    unmatched: 'failed',
    untagged: 'failed',
    pipeline: 'running',
  });
  assert.equal((await jobOf(await pipeline.getJobId('unmatched'))).failure_reason, 'stuck_or_timeout_failure');
  await advanceHours(24);
  assert.deepEqual(await pipeline.listStatuses(), {
    matched: 'failed',
    unmatched: 'failed',
    untagged: 'failed',
    pipeline: 'failed',
  });
});

test('cancels a canceling job after an hour if its runner does not end it', async () => {
  const pipeline = await createPipelineFixture(here, project, { slow: {} });
  await pipeline.runJob('slow', 'canceling');
  await advanceHours(0.5);
  assert.equal((await pipeline.listStatuses()).slow, 'canceling');
  await advanceHours(2);
  assert.deepEqual(await pipeline.listStatuses(), { slow: 'canceled', pipeline: 'canceled' });
});

test('fails a delayed job that was not started within an hour of its scheduled time', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    later: { when: 'delayed', options: { start_in: 60 } },
  });
  await database.transaction((tx) =>
    tx.deleteFrom('background_jobs').where('kind', '=', 'start_delayed_job').execute(),
  );
  await advanceHours(2.5);
  const job = await jobOf(await pipeline.getJobId('later'));
  assert.deepEqual([job.status, job.failure_reason], ['failed', 'stale_schedule']);
});

test('deletes pipelines that are older than the retention time of their project', async () => {
  const old = await createPipelineFixture(here, project, { build: {} });
  await advanceHours(20);
  const young = await createPipelineFixture(here, project, { build: {} });
  await expectSuccess(owner.put(project.at, { ci_delete_pipelines_in_seconds: 86_400 }));
  await advanceHours(24);
  assert.equal((await owner.get(`${project.at}/pipelines/${old.id}`)).status, 404);
  assert.equal((await owner.get(`${project.at}/pipelines/${young.id}`)).status, 200);
});
