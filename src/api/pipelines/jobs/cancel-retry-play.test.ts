import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { runnerRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createPipelineFixture } from '../processing/fixtures.testing.ts';
import { playJob } from '../processing/index.ts';

const here = await world({ project: { readme: true, with: ['reporter', 'developer', 'maintainer'] } });
const { project, reporter, developer, maintainer, owner, server, clock } = here;
const { database } = server.services;
const at = `${project.at}/jobs`;

test('retries a job as a new one, hides the old one from lists, and resets skipped later jobs', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    build: { row: { tags: ['b', 'a'] } },
    unit: { stage: 1 },
  });
  const oldId = await pipeline.getJobId('build');
  await pipeline.runJob('build', 'failed', { failure_reason: 'script_failure' });
  assert.equal((await pipeline.listStatuses()).unit, 'skipped');
  const again = await developer.post(`${at}/${oldId}/retry`);
  assert.deepEqual([again.status, again.body.status, again.body.name], [201, 'pending', 'build']);
  assert.deepEqual([again.body.tag_list, again.body.user.id], [['b', 'a'], developer.id]);
  assert.deepEqual(await pipeline.listStatuses(), { build: 'pending', unit: 'created', pipeline: 'pending' });
  const listed = (await developer.get(`${project.at}/pipelines/${pipeline.id}/jobs`)).body;
  assert.deepEqual(listed.map(({ id }: { id: number }) => id).includes(oldId), false);
  await pipeline.runJob('build', 'success');
  assert.equal((await pipeline.listStatuses()).unit, 'pending');
});

test('returns 403 for a retry of an unfinished or already retried job', async () => {
  const pipeline = await createPipelineFixture(here, project, { build: {} });
  const oldId = await pipeline.getJobId('build');
  const error = { message: '403 Forbidden - Job is not retryable' };
  assert.deepEqual((await developer.post(`${at}/${oldId}/retry`)).body, error);
  await pipeline.runJob('build', 'success');
  await expectSuccess(developer.post(`${at}/${oldId}/retry`));
  const second = await developer.post(`${at}/${oldId}/retry`);
  assert.deepEqual([second.status, second.body], [403, error]);
});

test('does not retry a job with a rejected deployment, neither alone nor with its pipeline', async () => {
  const pipeline = await createPipelineFixture(here, project, { ship: {}, other: {} });
  const [ship, other] = [await pipeline.getJobId('ship'), await pipeline.getJobId('other')];
  await pipeline.runJob('ship', 'failed', { failure_reason: 'deployment_rejected' });
  await pipeline.runJob('other', 'failed');
  assert.equal((await developer.post(`${at}/${ship}/retry`)).status, 403);
  await expectSuccess(developer.post(`${project.at}/pipelines/${pipeline.id}/retry`));
  assert.deepEqual([await pipeline.getJobId('ship'), (await pipeline.getJobId('other')) > other], [ship, true]);
});

test('plays a job as another user', async () => {
  const pipeline = await createPipelineFixture(here, project, { ship: { when: 'manual' } });
  const job = { id: await pipeline.getJobId('ship'), project_id: project.id, pipeline_id: pipeline.id };
  const play = () => server.services.runUnitOfWork(ANONYMOUS, (uow) => playJob(uow, job, [], maintainer.id));
  assert.equal(await play(), job.id);
  await pipeline.runJob('ship', 'success');
  assert.notEqual(await play(), job.id);
  const { body } = await developer.get(`${at}/${await pipeline.getJobId('ship')}`);
  assert.deepEqual([body.status, body.user.id], ['pending', maintainer.id]);
});

test('cancels a running job at once, or sets it to canceling if its runner supports graceful cancel', async () => {
  const pipeline = await createPipelineFixture(here, project, { plain: {}, graceful: {} });
  const { id: runner_id } = await runnerRow(here);
  const features = '{"cancel_gracefully":true}';
  const manager = await database.transaction((tx) =>
    tx
      .insertInto('runner_managers')
      .values({ runner_id, system_id: 's_1', features, created_at: tx.now })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  await pipeline.runJob('plain');
  await pipeline.runJob('graceful');
  const graceful = await pipeline.getJobId('graceful');
  await database.transaction((tx) =>
    tx.updateTable('jobs').set({ runner_id, runner_manager_id: manager.id }).where('id', '=', graceful).execute(),
  );
  assert.equal((await developer.post(`${at}/${await pipeline.getJobId('plain')}/cancel`)).body.status, 'canceled');
  const canceling = await developer.post(`${at}/${graceful}/cancel`);
  assert.deepEqual([canceling.status, canceling.body.status], [201, 'canceling']);
  assert.equal(canceling.body.runner_manager.system_id, 's_1');
  assert.equal((await developer.post(`${at}/${graceful}/cancel`, { force: true })).status, 403);
  const forced = await maintainer.post(`${at}/${graceful}/cancel`, { force: true });
  assert.equal(forced.body.status, 'canceled');
  assert.equal((await pipeline.listStatuses()).pipeline, 'canceled');
});

test('cancels a waiting job and keeps a finished one', async () => {
  const pipeline = await createPipelineFixture(here, project, { build: {}, manual: { stage: 1, when: 'manual' } });
  const build = await pipeline.getJobId('build');
  assert.equal((await developer.post(`${at}/${build}/cancel`)).body.status, 'canceled');
  assert.equal((await pipeline.listStatuses()).manual, 'skipped');
  assert.deepEqual((await developer.post(`${at}/${build}/cancel`)).body.status, 'canceled');
  assert.equal((await reporter.post(`${at}/${build}/cancel`)).status, 403);
});

test('plays a manual job with variables, as the caller', async () => {
  const pipeline = await createPipelineFixture(here, project, { ship: { when: 'manual' }, next: { stage: 1 } });
  const job = await pipeline.getJobId('ship');
  const bad = await developer.post(`${at}/${job}/play`, { job_variables_attributes: [{ value: 'x' }] });
  assert.deepEqual([bad.status, bad.body], [400, { error: 'job_variables_attributes[0][key] is missing' }]);
  const variables = [{ key: 'MODE', value: 'full and secret' }];
  const played = await developer.post(`${at}/${job}/play`, { job_variables_attributes: variables });
  assert.deepEqual([played.status, played.body.status, played.body.user.id], [200, 'pending', developer.id]);
  const [stored] = await database.reader.selectFrom('job_variables').selectAll().where('job_id', '=', job).execute();
  assert.equal(stored!.key, 'MODE');
  assert.doesNotMatch(stored!.value, /secret/);
  await pipeline.runJob('ship', 'success');
  assert.equal((await pipeline.listStatuses()).next, 'pending');
});

test('clones a finished manual job when it is played, and returns 400 for a job that is not manual', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    plain: {},
    ship: { when: 'manual', allowFailure: true },
  });
  const unplayable = await developer.post(`${at}/${await pipeline.getJobId('plain')}/play`);
  assert.deepEqual([unplayable.status, unplayable.body], [400, { message: '400 Bad request - Unplayable Job' }]);
  const job = await pipeline.getJobId('ship');
  await expectSuccess(developer.post(`${at}/${job}/play`));
  await pipeline.runJob('ship', 'failed');
  const again = await developer.post(`${at}/${job}/play`);
  assert.deepEqual([again.status, again.body.status, again.body.id === job], [200, 'pending', false]);
});

test('jobs that need an optional manual job wait for it once it is played', async () => {
  const pipeline = await createPipelineFixture(here, project, {
    optional: { when: 'manual', allowFailure: true },
    after: { stage: 1, needs: ['optional'] },
  });
  assert.deepEqual(await pipeline.listStatuses(), { optional: 'manual', after: 'skipped', pipeline: 'skipped' });
  await expectSuccess(developer.post(`${at}/${await pipeline.getJobId('optional')}/play`));
  assert.deepEqual(await pipeline.listStatuses(), { optional: 'pending', after: 'created', pipeline: 'pending' });
});

test('restricts actions on jobs of a protected branch to users who may push to it', async () => {
  await expectSuccess(owner.post(`${project.at}/protected_branches`, { name: 'stable', push_access_level: 40 }));
  const pipeline = await createPipelineFixture(here, project, { build: {} }, { ref: 'stable' });
  const job = await pipeline.getJobId('build');
  assert.equal((await developer.post(`${at}/${job}/cancel`)).status, 403);
  assert.equal((await maintainer.post(`${at}/${job}/cancel`)).status, 201);
});

test('restricts cancellation of jobs and pipelines to the role of the project setting', async () => {
  const pipeline = await createPipelineFixture(here, project, { build: {} });
  const job = await pipeline.getJobId('build');
  const restrict = (role: string) =>
    expectSuccess(owner.put(project.at, { ci_restrict_pipeline_cancellation_role: role }));
  await restrict('no_one');
  assert.equal((await maintainer.post(`${at}/${job}/cancel`)).status, 403);
  assert.equal((await maintainer.post(`${project.at}/pipelines/${pipeline.id}/cancel`)).status, 403);
  await restrict('maintainer');
  assert.equal((await developer.post(`${at}/${job}/cancel`)).status, 403);
  assert.equal((await developer.post(`${project.at}/pipelines/${pipeline.id}/cancel`)).status, 403);
  assert.equal((await maintainer.post(`${at}/${job}/cancel`)).status, 201);
  await restrict('developer');
});

test('ignores a stored cancellation role on tier free', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' }, project: {} });
  const pipeline = await createPipelineFixture(free, free.project, { build: {} });
  const job = await pipeline.getJobId('build');
  const attributes = JSON.stringify({ ci_restrict_pipeline_cancellation_role: 'no_one' });
  await free.server.services.database.transaction((tx) =>
    tx.updateTable('projects').set({ attributes }).where('id', '=', free.project.id).execute(),
  );
  assert.equal((await free.owner.post(`${free.project.at}/jobs/${job}/cancel`)).status, 201);
  assert.equal((await free.owner.post(`${free.project.at}/pipelines/${pipeline.id}/cancel`)).status, 200);
});

test('restricts variables of played jobs to the role of the project setting', async () => {
  const pipeline = await createPipelineFixture(here, project, { ship: { when: 'manual' } });
  const play = `${at}/${await pipeline.getJobId('ship')}/play`;
  const variables = { job_variables_attributes: [{ key: 'A', value: 'b' }] };
  await expectSuccess(owner.put(project.at, { ci_pipeline_variables_minimum_override_role: 'maintainer' }));
  assert.equal((await developer.post(play, variables)).status, 403);
  assert.equal((await maintainer.post(play, variables)).status, 200);
  clock.advance(1);
});
