import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import type { DeploymentStatus } from '#domain/deployments.ts';
import { insertJobRow } from '#test/support/pipeline-rows.ts';
import { type Caller, expectSuccess, type Project, type TestResponse, world } from '#test/support/world.ts';
import { reportDeployment } from './fixtures.testing.ts';

const here = await world();
const { newProject, anonymous, user, clock, server } = here;
const { database } = server.services;

const said = ({ status, body }: TestResponse) => [status, body];
const put = (caller: Caller, { at }: Project, id: number, status: string) =>
  caller.put(`${at}/deployments/${id}`, { status });

/** As if it had been so for long. */
async function set(id: number, values: { status?: DeploymentStatus; job_id?: number }): Promise<void> {
  await database.transaction((tx) => tx.updateTable('deployments').set(values).where('id', '=', id).execute());
}

const WORDS = { running: 'run', success: 'succeed', failed: 'drop', canceled: 'cancel' };

test('allows running from created or blocked, and any other final status', async () => {
  const project = await newProject({ readme: true });
  const { id } = (await reportDeployment(project)).body;
  const all = ['created', 'blocked', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
  for (const from of all) {
    for (const [to, word] of Object.entries(WORDS)) {
      await set(id, { status: from });
      const answer = await put(project.owner, project, id, to);
      const may = to === 'running' ? ['created', 'blocked'].includes(from) : from !== to;
      if (may) assert.deepEqual([answer.status, answer.body.status], [200, to], `${from} to ${to}`);
      else assert.deepEqual(said(answer), [400, { message: { status: [`cannot transition via "${word}"`] } }]);
    }
  }
});

test('shows the deployment that finished last as the running one', async () => {
  const project = await newProject({ readme: true });
  const first = (await reportDeployment(project)).body;
  const at = `${project.at}/environments/${first.environment.id}`;
  const last = async () => (await project.owner.get(at)).body.last_deployment;
  assert.equal(await last(), null);
  const second = (await reportDeployment(project, { status: 'success' })).body;
  assert.equal((await last()).id, second.id);
  clock.advance(1);
  await expectSuccess(put(project.owner, project, first.id, 'success'));
  const { environment, pending_approval_count, approvals, approval_summary, ...shown } = (
    await project.owner.get(`${project.at}/deployments/${first.id}`)
  ).body;
  assert.deepEqual(await last(), shown);
  clock.advance(1);
  await expectSuccess(put(project.owner, project, first.id, 'failed'));
  assert.equal((await last()).id, second.id);
  await expectSuccess(put(project.owner, project, second.id, 'canceled'));
  assert.equal(await last(), null);
});

test('makes a stopped or stopping environment available on success', async () => {
  const project = await newProject({ readme: true });
  for (const state of ['stopped', 'stopping'] as const) {
    const { id, environment } = (await reportDeployment(project)).body;
    await database.transaction((tx) =>
      tx.updateTable('environments').set({ state }).where('id', '=', environment.id).execute(),
    );
    const stateOf = async () => (await project.owner.get(`${project.at}/environments/${environment.id}`)).body.state;
    await expectSuccess(put(project.owner, project, id, 'canceled'));
    assert.equal(await stateOf(), state);
    await expectSuccess(put(project.owner, project, id, 'success'));
    assert.equal(await stateOf(), 'available');
  }
});

test('forbids updates to deployments of jobs', async () => {
  const project = await newProject({ readme: true });
  const { id } = (await reportDeployment(project)).body;
  const job_id = await insertJobRow(here, project);
  await set(id, { job_id });
  const text = '403 Forbidden - Deployments created using Hearth CI can not be updated using the API';
  assert.deepEqual(said(await put(project.owner, project, id, 'failed')), [403, { message: text }]);
  const { body } = await project.owner.get(`${project.at}/deployments/${id}`);
  assert.deepEqual(
    [body.status, body.deployable.id, body.deployable.project],
    ['running', job_id, { ci_job_token_scope_enabled: false }],
  );
});

test('accepts four statuses', async () => {
  const project = await newProject({ readme: true });
  const { id } = (await reportDeployment(project)).body;
  const at = `${project.at}/deployments`;
  for (const [path, params, error] of [
    [id, {}, 'status is missing, status does not have a valid value'],
    [id, { status: 'blocked' }, 'status does not have a valid value'],
    ['x', { status: 'failed' }, 'deployment_id is invalid'],
  ] as const)
    assert.deepEqual(said(await project.owner.put(`${at}/${path}`, params)), [400, { error }]);
});

test('returns 404 before 403 on update', async () => {
  const project = await newProject({ readme: true, with: ['guest', 'reporter', 'developer'] });
  const other = (await reportDeployment(await newProject({ readme: true }))).body.id;
  const { id } = (await reportDeployment(project)).body;
  const { guest, reporter, developer } = project;
  const stranger = await user();
  const ask = (deployment: number | string) =>
    Promise.all(
      [anonymous, stranger, guest, reporter, developer].map(
        async (caller) => (await put(caller, project, deployment as number, 'failed')).status,
      ),
    );
  for (const unknown of [other, 0, -1, '99999999999999999999'])
    assert.deepEqual(await ask(unknown), [401, 404, 404, 404, 404], String(unknown));
  assert.deepEqual(await ask(id), [401, 404, 403, 403, 200]);
});

test('lets only admitted users update and delete deployments of a protected environment', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const { id } = (await reportDeployment(project)).body;
  await database.transaction((tx) =>
    createProtection(tx, { project_id: project.id, group_id: null }, 'production', {
      levels: [{ user_id: project.developer.id }],
    }),
  );
  const forbidden = [403, { message: '403 Forbidden' }];
  assert.deepEqual(said(await put(project.maintainer, project, id, 'failed')), forbidden);
  assert.deepEqual(said(await project.maintainer.delete(`${project.at}/deployments/${id}`)), forbidden);
  assert.equal((await put(project.developer, project, id, 'failed')).status, 200);
  assert.equal((await here.root.delete(`${project.at}/deployments/${id}`)).status, 204);
});

test('lets Maintainers delete a deployment unless it is running or the last one', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const first = (await reportDeployment(project)).body.id;
  const remove = (caller: Caller, id: number) => caller.delete(`${project.at}/deployments/${id}`);
  assert.equal((await remove(project.developer, first)).status, 403);
  const running = { message: 'Cannot destroy running deployment' };
  assert.deepEqual(said(await remove(project.maintainer, first)), [400, running]);
  await expectSuccess(put(project.owner, project, first, 'success'));
  const deployed = { message: 'Deployment currently deployed to environment' };
  assert.deepEqual(said(await remove(project.maintainer, first)), [400, deployed]);
  clock.advance(1);
  await expectSuccess(reportDeployment(project, { status: 'success', tag: true }));
  assert.equal((await remove(project.maintainer, first)).status, 204);
  assert.equal((await remove(project.maintainer, first)).status, 404);
  assert.equal((await reportDeployment(project)).body.iid, 3);
});

test('returns 412 for the deletion of a deployment that has changed', async () => {
  const project = await newProject({ readme: true });
  const { id } = (await reportDeployment(project, { status: 'failed' })).body;
  const since = (date: string) =>
    project.owner.delete(`${project.at}/deployments/${id}`, {}, { 'If-Unmodified-Since': date });
  assert.deepEqual(said(await since('Thu, 01 Jan 2026 00:00:00 GMT')), [412, { message: '412 Precondition Failed' }]);
  assert.equal((await project.owner.get(`${project.at}/deployments/${id}`)).status, 200);
  assert.equal((await since('2027-01-01T00:00:00Z')).status, 204);
});

test('keeps deployments of deleted users and deletes those of deleted projects', async () => {
  const project = await newProject({ readme: true });
  const leaver = await project.addMember('developer');
  const { id } = (await reportDeployment(project, {}, leaver)).body;
  await expectSuccess(here.root.delete(`/users/${leaver.id}`));
  await here.runJobs();
  assert.equal((await project.owner.get(`${project.at}/deployments/${id}`)).body.user, null);
  await database.transaction((tx) => tx.deleteFrom('projects').where('id', '=', project.id).execute());
  const left = await database.reader.selectFrom('deployments').select('id').where('id', '=', id).execute();
  assert.deepEqual(left, []);
});
