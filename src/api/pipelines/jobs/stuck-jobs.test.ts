import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runnerRow } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';
import { createPipelineFixture } from '../processing/fixtures.testing.ts';

const here = await world({ project: { readme: true } });
const { project, owner, server, clock, work } = here;
const { database } = server.services;

const jobOf = (id: number) =>
  database.reader.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function pass(hours: number): Promise<void> {
  clock.advance(hours * 3600);
  await work();
}

test('a job that waits for an hour while no runner could take it fails, one that a runner could take waits on', async () => {
  const far = '2030-01-01T00:00:00.000Z';
  await runnerRow(here, { projects: [project.id], tags: ['fit'], contacted_at: far, run_untagged: false });
  const jobs = { fit: { row: { tags: ['fit'] } }, unfit: { row: { tags: ['fit', 'odd'] } }, untagged: {} };
  const pipeline = await createPipelineFixture(here, project, jobs);
  await pass(0.9);
  assert.equal((await pipeline.statuses()).unfit, 'pending');
  await pass(1.2);
  assert.deepEqual(await pipeline.statuses(), {
    fit: 'pending',
    unfit: 'failed',
    untagged: 'failed',
    pipeline: 'running',
  });
  assert.equal((await jobOf(await pipeline.idOf('unfit'))).failure_reason, 'stuck_or_timeout_failure');
  await pass(24);
  assert.deepEqual(await pipeline.statuses(), {
    fit: 'failed',
    unfit: 'failed',
    untagged: 'failed',
    pipeline: 'failed',
  });
});

test('a job whose runner does not end it is canceled after an hour', async () => {
  const pipeline = await createPipelineFixture(here, project, { slow: {} });
  await pipeline.run('slow', 'canceling');
  await pass(0.5);
  assert.equal((await pipeline.statuses()).slow, 'canceling');
  await pass(2);
  assert.deepEqual(await pipeline.statuses(), { slow: 'canceled', pipeline: 'canceled' });
});

test('a delayed job that nobody has started an hour after its time fails', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    later: { when: 'delayed', options: { start_in: 60 } },
  });
  await database.transaction((tx) =>
    tx.deleteFrom('background_jobs').where('kind', '=', 'start-delayed-job').execute(),
  );
  await pass(2.5);
  const job = await jobOf(await pipeline.idOf('later'));
  assert.deepEqual([job.status, job.failure_reason], ['failed', 'stale_schedule']);
});

test('pipelines that are older than their project keeps them are deleted with their jobs', async () => {
  const old = await createPipelineFixture(here, project, { build: {} });
  await pass(20);
  const young = await createPipelineFixture(here, project, { build: {} });
  await done(owner.put(project.at, { ci_delete_pipelines_in_seconds: 86_400 }));
  await pass(24);
  assert.equal((await owner.get(`${project.at}/pipelines/${old.id}`)).status, 404);
  assert.equal((await owner.get(`${project.at}/pipelines/${young.id}`)).status, 200);
});
