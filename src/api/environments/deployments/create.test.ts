import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type TestResponse, world } from '#test/support/world.ts';
import { createDeploymentParams, reportDeployment } from './fixtures.testing.ts';

const here = await world();
const { newProject, anonymous, user, server } = here;
const { database } = server.services;

const said = ({ status, body }: TestResponse) => [status, body];

test('creates a deployment with its environment and the next iid', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const first = await reportDeployment(project, { environment: 'pre-prod' }, project.developer);
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
  const second = await reportDeployment(project, { environment: 'pre-prod' });
  assert.deepEqual([second.body.iid, second.body.environment.id], [2, environment.id]);
  const other = await newProject({ readme: true });
  assert.equal((await reportDeployment(other)).body.iid, 1);
});

test('returns the last deployment for an identical report, else creates one', async () => {
  const project = await newProject({ readme: true });
  const first = (await reportDeployment(project, { status: 'success' })).body;
  const again = await reportDeployment(project, { status: 'success' });
  assert.deepEqual([again.status, again.body.id], [201, first.id]);
  const differing = [{ status: 'failed' }, { tag: true }, { ref: first.sha }, { environment: 'staging' }];
  for (const deploymentParams of differing)
    assert.notEqual((await reportDeployment(project, { status: 'success', ...deploymentParams })).body.id, first.id);
  const running = await Promise.all([reportDeployment(project), reportDeployment(project)]);
  assert.notEqual(running[0].body.id, running[1].body.id);
});

test('makes a stopped environment available on success only', async () => {
  const project = await newProject({ readme: true });
  const { environment } = (await reportDeployment(project)).body;
  const stateOf = async () => (await project.owner.get(`${project.at}/environments/${environment.id}`)).body.state;
  for (const [status, state] of [
    ['running', 'stopped'],
    ['failed', 'stopped'],
    ['success', 'available'],
  ] as const) {
    await database.transaction((tx) =>
      tx.updateTable('environments').set({ state: 'stopped' }).where('id', '=', environment.id).execute(),
    );
    await reportDeployment(project, { status });
    assert.equal(await stateOf(), state, status);
  }
});

test('rejects missing, empty and unknown values without creating anything', async () => {
  const project = await newProject({ readme: true });
  const missing = await project.owner.post(`${project.at}/deployments`, {});
  const names = ['environment', 'sha', 'ref'].map((name) => `${name} is missing, ${name} is empty`);
  const error = [...names, 'tag is missing', 'status is missing, status does not have a valid value'].join(', ');
  assert.deepEqual(said(missing), [400, { error }]);
  for (const [deploymentParams, body] of [
    [{ environment: '' }, { error: 'environment is empty' }],
    [{ ref: ' ' }, { error: 'ref is empty' }],
    [{ tag: 'maybe' }, { error: 'tag is invalid' }],
    [{ status: 'created' }, { error: 'status does not have a valid value' }],
    [{ sha: 'f'.repeat(40) }, { message: { sha: ['The commit does not exist'] } }],
    [{ ref: 'nowhere' }, { message: { ref: ['The branch or tag does not exist'] } }],
    [{ ref: 'nowhere', sha: 'odd' }, { message: { sha: ['The commit does not exist'] } }],
    [{ environment: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
  ] as const) {
    assert.deepEqual(said(await reportDeployment(project, deploymentParams)), [400, body]);
  }
  for (const list of ['deployments', 'environments'])
    assert.deepEqual((await project.owner.get(`${project.at}/${list}`)).body, []);
});

test('rejects a new environment with a taken slug', async () => {
  const project = await newProject({ readme: true });
  await expectSuccess(project.owner.post(`${project.at}/environments`, { name: 'foo' }));
  const message = { slug: ['has already been taken'] };
  assert.deepEqual(said(await reportDeployment(project, { environment: 'foo-' })), [400, { message }]);
});

test('stores the commit as given', async () => {
  const project = await newProject({ readme: true });
  const { sha } = await createDeploymentParams(project);
  const short = String(sha).slice(0, 8).toUpperCase();
  const { body } = await reportDeployment(project, { sha: short, ref: String(sha) });
  assert.deepEqual([body.sha, body.ref], [short, sha]);
});

test('lets Developers create deployments and returns 401, 404 or 403 to others', async () => {
  const project = await newProject({ readme: true, with: ['guest', 'reporter', 'developer'] });
  const deploymentParams = await createDeploymentParams(project);
  const statusOf = async (caller: typeof anonymous) =>
    (await caller.post(`${project.at}/deployments`, deploymentParams)).status;
  const { guest, reporter, developer } = project;
  const stranger = await user();
  const callers = [anonymous, stranger, guest, reporter, developer];
  assert.deepEqual(await Promise.all(callers.map(statusOf)), [401, 404, 403, 403, 201]);
  assert.equal((await anonymous.post('/projects/999999/deployments', deploymentParams)).status, 401);
});

test('lets a job create deployments of its own project with its token', async () => {
  const project = await newProject({ readme: true });
  const { headers } = await runningJob(here, project);
  const params = await createDeploymentParams(project);
  const reporting = await anonymous.send('POST', `${project.at}/deployments`, { params, headers });
  assert.deepEqual([reporting.status, reporting.body.user.id], [201, project.owner.id]);
  assert.equal((await anonymous.get(`${project.at}/deployments`, {}, headers)).status, 200);
});

test('requires admission by all protections of an environment', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  await database.transaction((tx) =>
    createProtection(tx, { project_id: project.id, group_id: null }, 'production', { levels: [{ access_level: 40 }] }),
  );
  const refused = await reportDeployment(project, {}, project.developer);
  assert.deepEqual(said(refused), [403, { message: '403 Forbidden' }]);
  assert.equal((await reportDeployment(project, { sha: 'odd' }, project.developer)).status, 403);
  assert.equal((await reportDeployment(project, { environment: 'staging' }, project.developer)).status, 201);
  assert.equal((await reportDeployment(project, {}, project.maintainer)).status, 201);
  assert.equal((await project.owner.get(`${project.at}/deployments`)).body.length, 2);
});

test('rejects new deployments in an archived project and lists existing ones', async () => {
  const project = await newProject({ readme: true });
  await reportDeployment(project);
  await project.owner.post(`${project.at}/archive`);
  assert.equal((await reportDeployment(project)).status, 403);
  assert.equal((await project.owner.get(`${project.at}/deployments`)).body.length, 1);
});
