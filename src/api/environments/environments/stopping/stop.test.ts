import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeploymentFixture, deploymentRow } from '#test/support/deployment-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// Stopping environments (contract/environments.md "stop").

async function given(params = {}) {
  const here = await world({ project: { readme: true, with: ['developer', 'reporter', 'maintainer'] } });
  const { project, developer } = here;
  const { body } = await expectSuccess(developer.post(`${project.at}/environments`, { name: 'deploy', ...params }));
  const at = `${project.at}/environments/${body.id}`;
  return { ...here, made: body, at, state: async () => (await developer.get(at)).body.state };
}

/** The attempts of a job by its name, the oldest first. */
async function attempts(
  { project, owner }: { project: Project; owner: Project['owner'] },
  pipeline: number,
  name: string,
) {
  const { body } = await expectSuccess(
    owner.get(`${project.at}/pipelines/${pipeline}/jobs`, { include_retried: true }),
  );
  const jobs = (body as { id: number; name: string; status: string; user: { id: number } }[]).filter(
    (job) => job.name === name,
  );
  return jobs.toSorted((one, other) => one.id - other.id);
}

test('stops an environment without stop jobs at once and returns it without the tier', async () => {
  const { developer, made, at, clock } = await given();
  clock.advance(60);
  const { status, body } = await developer.post(`${at}/stop`);
  assert.equal(status, 200);
  const { tier, ...shown } = made;
  assert.deepEqual(body, { ...shown, state: 'stopped', updated_at: body.updated_at });
  assert.notEqual(body.updated_at, made.updated_at);
  assert.deepEqual((await developer.post(`${at}/stop`)).body, body);
  assert.deepEqual((await developer.post(`${at}/stop`, { force: true })).body, body);
});

test('lets Developers stop environments and returns 404 for unknown ones', async () => {
  const { reporter, developer, anonymous, project, at, state } = await given();
  assert.deepEqual(
    [(await anonymous.post(`${at}/stop`)).status, (await reporter.post(`${at}/stop`)).status],
    [401, 403],
  );
  assert.equal(await state(), 'available');
  for (const by of [reporter, developer]) {
    assert.equal((await by.post(`${project.at}/environments/999999/stop`)).status, 404);
  }
});

test('stops a with_action environment without a job only by force', async () => {
  const { developer, at, state } = await given({ auto_stop_setting: 'with_action' });
  const { status, body } = await developer.post(`${at}/stop`);
  const message = '400 Bad request - Attempted to stop the environment but failed to change the status';
  assert.deepEqual([status, body], [400, { message }]);
  assert.equal(await state(), 'available');
  assert.equal((await developer.post(`${at}/stop`, { force: true })).body.state, 'stopped');
});

test('plays the stop job once as its own user', async () => {
  const here = await given();
  const { developer, owner, at } = here;
  const { pipeline } = await createDeploymentFixture(here, here.project, here.made);
  for (let time = 0; time < 2; time++) {
    const { status, body } = await developer.post(`${at}/stop`);
    assert.deepEqual([status, body.state], [200, 'stopping']);
  }
  const jobs = await attempts(here, pipeline, 'halt');
  assert.deepEqual(
    jobs.map(({ status, user }) => [status, user.id]),
    [['pending', owner.id]],
  );
});

test('plays the stop job once on two concurrent requests', async () => {
  const here = await given();
  const { pipeline } = await createDeploymentFixture(here, here.project, here.made, { halt: { status: 'success' } });
  const stops = await Promise.all(Array.from({ length: 4 }, () => here.developer.post(`${here.at}/stop`)));
  assert.deepEqual(
    stops.map(({ status, body }) => [status, body.state]),
    Array.from({ length: 4 }, () => [200, 'stopping']),
  );
  assert.deepEqual(
    (await attempts(here, pipeline, 'halt')).map(({ status }) => status),
    ['success', 'pending'],
  );
});

test('skips the stop job on force, even while stopping', async () => {
  const here = await given();
  const { pipeline, halt } = await createDeploymentFixture(here, here.project, here.made);
  assert.equal((await here.developer.post(`${here.at}/stop`, { force: true })).body.state, 'stopped');
  const jobs = await attempts(here, pipeline, 'halt');
  assert.deepEqual(
    jobs.map(({ id, status }) => [id, status]),
    [[halt, 'manual']],
  );
  const other = await given();
  await createDeploymentFixture(other, other.project, other.made);
  await expectSuccess(other.developer.post(`${other.at}/stop`));
  assert.equal((await other.developer.post(`${other.at}/stop`, { force: true })).body.state, 'stopped');
});

test('changes nothing if the job’s user may not play it', async () => {
  const here = await given();
  const { reporter, owner, at, state } = here;
  const { pipeline } = await createDeploymentFixture(here, here.project, here.made, { halt: { user_id: reporter.id } });
  const { status, body } = await owner.post(`${at}/stop`);
  assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  assert.equal(await state(), 'available');
  assert.deepEqual(
    (await attempts(here, pipeline, 'halt')).map((job) => job.status),
    ['manual'],
  );
});

test('requires the right to push to the deployed branch, except for Maintainers', async () => {
  const here = await given();
  const { developer, maintainer, at, state } = here;
  await createDeploymentFixture(here, here.project, here.made, { ref: 'main' });
  assert.equal((await developer.post(`${at}/stop`)).status, 403);
  assert.equal(await state(), 'available');
  assert.equal((await maintainer.post(`${at}/stop`)).body.state, 'stopping');
  assert.equal((await developer.post(`${at}/stop`)).body.state, 'stopping');
});

test('has no stop job after a deployment reported by the API', async () => {
  const here = await given();
  const { clock, developer, at } = here;
  const { pipeline } = await createDeploymentFixture(here, here.project, here.made);
  clock.advance(60);
  await deploymentRow(here, here.project, here.made, { status: 'failed' });
  assert.equal((await developer.post(`${at}/stop`)).body.state, 'stopped');
  assert.deepEqual(
    (await attempts(here, pipeline, 'halt')).map((job) => job.status),
    ['manual'],
  );
});

test('plays the stop job of a failed deployment but not of a running one', async () => {
  const failed = await given();
  await createDeploymentFixture(failed, failed.project, failed.made, { deploy: { status: 'failed' } });
  assert.equal((await failed.developer.post(`${failed.at}/stop`)).body.state, 'stopping');
  const running = await given();
  await createDeploymentFixture(running, running.project, running.made, {
    deploy: { status: 'running', finished_at: null },
  });
  assert.equal((await running.developer.post(`${running.at}/stop`)).body.state, 'stopped');
});

test('ignores stop jobs that are not manual or were never reached', async () => {
  for (const halt of [
    { run_when: 'on_success', status: 'success' },
    { status: 'skipped' },
    { status: 'running' },
  ] as const) {
    const here = await given();
    await createDeploymentFixture(here, here.project, here.made, { halt });
    assert.equal((await here.developer.post(`${here.at}/stop`)).body.state, 'stopped');
  }
});

test('forbids stopping an environment of an archived project', async () => {
  const { owner, project, at } = await given();
  await expectSuccess(owner.post(`${project.at}/archive`));
  assert.equal((await owner.post(`${at}/stop`)).status, 403);
  assert.equal((await owner.get(at)).body.state, 'available');
});
