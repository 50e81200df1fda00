import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { type Answer, done, world } from '#test/support/world.ts';
import { report, reported } from './fixtures.testing.ts';

const here = await world();
const { newProject, anonymous, user, server } = here;
const { database } = server.services;

const said = ({ status, body }: Answer) => [status, body];

test('a deployment is reported with its environment, which is made for it, and numbered in its project', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const first = await report(project, { environment: 'pre-prod' }, project.developer);
  assert.equal(first.status, 201);
  const { id, created_at, updated_at, sha, user: by, environment, ...rest } = first.body;
  assert.equal(by.username, project.developer.username);
  assert.deepEqual(rest, {
    iid: 1,
    ref: 'main',
    deployable: null,
    status: 'running',
    pending_approval_count: 0,
    approvals: [],
    approval_summary: { rules: [] },
  });
  assert.deepEqual([environment.name, environment.slug, environment.external_url], ['pre-prod', 'pre-prod', null]);
  const made = (await project.owner.get(`${project.at}/environments/${environment.id}`)).body;
  assert.deepEqual([made.tier, made.state, made.last_deployment], ['staging', 'available', null]);
  const second = await report(project, { environment: 'pre-prod' });
  assert.deepEqual([second.body.iid, second.body.environment.id], [2, environment.id]);
  const other = await newProject({ readme: true });
  assert.equal((await report(other)).body.iid, 1);
});

test('a success that is what runs there already is that deployment; whatever else is another one', async () => {
  const project = await newProject({ readme: true });
  const first = (await report(project, { status: 'success' })).body;
  const again = await report(project, { status: 'success' });
  assert.deepEqual([again.status, again.body.id], [201, first.id]);
  const differing = [{ status: 'failed' }, { tag: true }, { ref: first.sha }, { environment: 'staging' }];
  for (const wish of differing)
    assert.notEqual((await report(project, { status: 'success', ...wish })).body.id, first.id);
  const running = await Promise.all([report(project), report(project)]);
  assert.notEqual(running[0].body.id, running[1].body.id);
});

test('success brings an environment back that has stopped, other statuses do not', async () => {
  const project = await newProject({ readme: true });
  const { environment } = (await report(project)).body;
  const stateOf = async () => (await project.owner.get(`${project.at}/environments/${environment.id}`)).body.state;
  for (const [status, state] of [
    ['running', 'stopped'],
    ['failed', 'stopped'],
    ['success', 'available'],
  ] as const) {
    await database.transaction((tx) =>
      tx.updateTable('environments').set({ state: 'stopped' }).where('id', '=', environment.id).execute(),
    );
    await report(project, { status });
    assert.equal(await stateOf(), state, status);
  }
});

test('what is missing, empty or unknown is refused, and makes neither environment nor deployment', async () => {
  const project = await newProject({ readme: true });
  const missing = await project.owner.post(`${project.at}/deployments`, {});
  const names = ['environment', 'sha', 'ref'].map((name) => `${name} is missing, ${name} is empty`);
  const error = [...names, 'tag is missing', 'status is missing, status does not have a valid value'].join(', ');
  assert.deepEqual(said(missing), [400, { error }]);
  for (const [wish, body] of [
    [{ environment: '' }, { error: 'environment is empty' }],
    [{ ref: ' ' }, { error: 'ref is empty' }],
    [{ tag: 'maybe' }, { error: 'tag is invalid' }],
    [{ status: 'created' }, { error: 'status does not have a valid value' }],
    [{ sha: 'f'.repeat(40) }, { message: { sha: ['The commit does not exist'] } }],
    [{ ref: 'nowhere' }, { message: { ref: ['The branch or tag does not exist'] } }],
    [{ ref: 'nowhere', sha: 'odd' }, { message: { sha: ['The commit does not exist'] } }],
    [{ environment: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
  ] as const) {
    assert.deepEqual(said(await report(project, wish)), [400, body]);
  }
  for (const list of ['deployments', 'environments'])
    assert.deepEqual((await project.owner.get(`${project.at}/${list}`)).body, []);
});

test('an environment that would have the slug of another one is refused, and only the slug is told', async () => {
  const project = await newProject({ readme: true });
  await done(project.owner.post(`${project.at}/environments`, { name: 'foo' }));
  const message = { slug: ['has already been taken'] };
  assert.deepEqual(said(await report(project, { environment: 'foo-' })), [400, { message }]);
});

test('the commit is kept as it was named', async () => {
  const project = await newProject({ readme: true });
  const { sha } = await reported(project);
  const short = String(sha).slice(0, 8).toUpperCase();
  const { body } = await report(project, { sha: short, ref: String(sha) });
  assert.deepEqual([body.sha, body.ref], [short, sha]);
});

test('developers report deployments; others are told 401, 404 or 403', async () => {
  const project = await newProject({ readme: true, with: ['guest', 'reporter', 'developer'] });
  const wish = await reported(project);
  const statusOf = async (caller: typeof anonymous) => (await caller.post(`${project.at}/deployments`, wish)).status;
  const { guest, reporter, developer } = project;
  const stranger = await user();
  const callers = [anonymous, stranger, guest, reporter, developer];
  assert.deepEqual(await Promise.all(callers.map(statusOf)), [401, 404, 403, 403, 201]);
  assert.equal((await anonymous.post('/projects/999999/deployments', wish)).status, 401);
});

test('a job reports deployments with its token, in its own project', async () => {
  const project = await newProject({ readme: true });
  const { headers } = await runningJob(here, project);
  const params = await reported(project);
  const reporting = await anonymous.send('POST', `${project.at}/deployments`, { params, headers });
  assert.deepEqual([reporting.status, reporting.body.user.id], [201, project.owner.id]);
  assert.equal((await anonymous.get(`${project.at}/deployments`, {}, headers)).status, 200);
});

test('to a protected environment deploys whom all protections admit, and there alone', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  await database.transaction((tx) =>
    makeProtection(tx, { project_id: project.id, group_id: null }, 'production', { levels: [{ access_level: 40 }] }),
  );
  const refused = await report(project, {}, project.developer);
  assert.deepEqual(said(refused), [403, { message: '403 Forbidden' }]);
  assert.equal((await report(project, { sha: 'odd' }, project.developer)).status, 403);
  assert.equal((await report(project, { environment: 'staging' }, project.developer)).status, 201);
  assert.equal((await report(project, {}, project.maintainer)).status, 201);
  assert.equal((await project.owner.get(`${project.at}/deployments`)).body.length, 2);
});

test('an archived project takes no deployments, and shows those that it has', async () => {
  const project = await newProject({ readme: true });
  await report(project);
  await project.owner.post(`${project.at}/archive`);
  assert.equal((await report(project)).status, 403);
  assert.equal((await project.owner.get(`${project.at}/deployments`)).body.length, 1);
});
