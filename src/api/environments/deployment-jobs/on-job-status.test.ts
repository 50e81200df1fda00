import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPipelineFixture, type JobFixture } from '#api/pipelines/processing/fixtures.testing.ts';
import { cancelJob, changeJobStatus } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// What jobs make of environments and deployments (contract/environments.md Part 5).

const here = await world();
const { server, newProject, clock } = here;
const { runUnitOfWork, database } = server.services;

const project = () => newProject({ readme: true, with: ['developer', 'maintainer'] });

/** A job of the developer's with this environment; `said` is what its file says besides. */
const job = (
  { developer }: Project & { developer: { id: number } },
  said: object = {},
  given: JobFixture = {},
): JobFixture => ({
  ...given,
  row: { environment: 'review/a', user_id: developer.id, ...given.row },
  options: { environment: { action: 'start', ...said } },
});

const deploymentsIn = async (place: Project) =>
  (await place.owner.get(`${place.at}/deployments`)).body.map(
    ({ deployable, status }: { deployable: { name: string }; status: string }) => `${deployable.name} ${status}`,
  );

async function environmentOf(place: Project) {
  const [{ id }] = (await place.owner.get(`${place.at}/environments`)).body;
  return (await place.owner.get(`${place.at}/environments/${id}`)).body;
}

test('creates the deployment when a job leaves created, and follows its status', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, { build: {}, ship: job(place, {}, { stage: 1 }) });
  assert.deepEqual(await deploymentsIn(place), []);
  await pipeline.runJob('build', 'success');
  assert.deepEqual(await deploymentsIn(place), ['ship created']);
  await pipeline.runJob('ship');
  assert.deepEqual(await deploymentsIn(place), ['ship running']);
  const id = await pipeline.getJobId('ship');
  await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, id, ['running'], 'success'));
  const [{ user, ref, deployable }] = (await place.owner.get(`${place.at}/deployments`)).body;
  assert.deepEqual([user.id, ref, deployable.id, deployable.status], [place.developer.id, 'feature', id, 'success']);
  assert.equal((await environmentOf(place)).last_deployment.deployable.id, id);
});

test('blocks deployments of manual jobs and skips those of skipped jobs', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, {
    build: {},
    held: job(place, {}, { when: 'manual', allowFailure: true }),
    ship: job(place, {}, { stage: 1 }),
  });
  assert.deepEqual(await deploymentsIn(place), ['held blocked']);
  await pipeline.runJob('build', 'failed');
  assert.deepEqual(await deploymentsIn(place), ['held blocked', 'ship skipped']);
  await expectSuccess(place.owner.post(`${place.at}/jobs/${await pipeline.getJobId('build')}/retry`));
  assert.deepEqual(await deploymentsIn(place), ['held blocked', 'ship created']);
  await expectSuccess(place.developer.post(`${place.at}/jobs/${await pipeline.getJobId('held')}/play`));
  await pipeline.runJob('held');
  assert.deepEqual(await deploymentsIn(place), ['held running', 'ship created']);
});

test('fails and cancels deployments with their jobs, and creates one per retry', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, {
    a: job(place),
    b: job(place),
    late: job(place, {}, { stage: 1 }),
  });
  await pipeline.runJob('a', 'failed');
  await runUnitOfWork(ANONYMOUS, async (uow) => cancelJob(uow, await pipeline.getJobId('b')));
  assert.deepEqual(await deploymentsIn(place), ['a failed', 'b canceled', 'late skipped']);
  await expectSuccess(place.developer.post(`${place.at}/jobs/${await pipeline.getJobId('a')}/retry`));
  assert.deepEqual(await deploymentsIn(place), ['a failed', 'b canceled', 'late created', 'a created']);
});

test('ends the deployments of a deleted pipeline', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, {
    done: job(place),
    ship: job(place),
    end: job(place),
    held: job(place, {}, { when: 'manual', allowFailure: true }),
  });
  await pipeline.runJob('done', 'success');
  await pipeline.runJob('ship');
  await pipeline.runJob('end');
  const ending = await pipeline.getJobId('end');
  await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, ending, ['running'], 'canceling'));
  assert.equal((await place.owner.delete(`${place.at}/pipelines/${pipeline.id}`)).status, 204);
  const left: { deployable: null; status: string }[] = (await place.owner.get(`${place.at}/deployments`)).body;
  assert.deepEqual(left.map(({ status }) => status).sort(), ['canceled', 'canceled', 'canceled', 'success']);
  assert.ok(left.every(({ deployable }) => deployable === null));
});

test('creates no deployment for a job canceled in created', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, { build: {}, ship: job(place, {}, { stage: 1 }) });
  await expectSuccess(place.owner.post(`${place.at}/pipelines/${pipeline.id}/cancel`));
  assert.deepEqual(await deploymentsIn(place), []);
});

test('creates no deployment for prepare, verify and access jobs', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, {
    look: job(place, { action: 'verify' }),
    end: job(place, { action: 'stop' }),
  });
  await pipeline.runJob('look', 'success');
  await pipeline.runJob('end', 'success');
  assert.deepEqual(await deploymentsIn(place), []);
});

test('sets tier and auto_stop_at on success', async () => {
  const place = await project();
  const said = { deployment_tier: 'testing', auto_stop_in: '1 day' };
  const pipeline = await createPipelineFixture(here, place, {
    one: job(place),
    two: job(place, said),
    three: job(place, { auto_stop_in: 'never' }),
  });
  await pipeline.runJob('one', 'success');
  assert.deepEqual(
    [(await environmentOf(place)).tier, (await environmentOf(place)).auto_stop_at],
    ['development', null],
  );
  clock.advance(60);
  await pipeline.runJob('two', 'success');
  const { tier, auto_stop_at, updated_at } = await environmentOf(place);
  assert.deepEqual([tier, updated_at], ['testing', clock.now().toISOString()]);
  assert.equal(Date.parse(auto_stop_at) - clock.now().getTime(), 86_400_000);
  await pipeline.runJob('three', 'success');
  assert.deepEqual([(await environmentOf(place)).tier, (await environmentOf(place)).auto_stop_at], ['testing', null]);
});

test('postpones auto_stop_at by prepare and access jobs, and by verify only with its own value', async () => {
  const place = await project();
  const stopsIn = async () => {
    const { auto_stop_at } = await environmentOf(place);
    return auto_stop_at && (Date.parse(auto_stop_at) - clock.now().getTime()) / 3_600_000;
  };
  const pipeline = await createPipelineFixture(here, place, {
    ship: job(place, { auto_stop_in: '5 hours' }),
    look: job(place, { action: 'verify' }),
    get: job(place, { action: 'access' }),
    own: job(place, { action: 'prepare', auto_stop_in: '2 hours' }),
    seen: job(place, { action: 'verify', auto_stop_in: '3 hours' }),
  });
  const hours: number[] = [];
  for (const name of ['ship', 'look', 'get', 'own', 'seen']) {
    clock.advance(3600);
    await pipeline.runJob(name, 'success');
    hours.push(await stopsIn());
  }
  assert.deepEqual(hours, [5, 4, 5, 2, 3]);
});

test('recreates a deleted environment when its job succeeds', async () => {
  const place = await project();
  const pipeline = await createPipelineFixture(here, place, { ship: job(place) });
  await pipeline.runJob('ship');
  await database.transaction((tx) => tx.deleteFrom('environments').where('project_id', '=', place.id).execute());
  const id = await pipeline.getJobId('ship');
  await runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, id, ['running'], 'success'));
  assert.deepEqual(await deploymentsIn(place), ['ship success']);
});
