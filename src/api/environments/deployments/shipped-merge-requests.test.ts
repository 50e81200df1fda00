import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { reportDeployment } from './fixtures.testing.ts';

const { newProject, runJobs, anonymous } = await world();

/** A merge request of a branch with one commit, merged. */
async function merged(
  project: Project,
  branch: string,
  params: { squash?: boolean } = {},
): Promise<{ id: number; iid: number }> {
  const { owner, at, repository } = project;
  await expectSuccess(owner.post(`${repository}/branches`, { branch, ref: 'main' }));
  const commit = {
    branch,
    commit_message: branch,
    actions: [{ action: 'create', file_path: branch, content: branch }],
  };
  await expectSuccess(owner.post(`${repository}/commits`, commit));
  const named = { source_branch: branch, target_branch: 'main', title: branch, ...params };
  const { iid, id } = (await expectSuccess(owner.post(`${at}/merge_requests`, named))).body;
  await runJobs();
  await expectSuccess(owner.put(`${at}/merge_requests/${iid}/merge`, params));
  return { id, iid };
}

/** A deployment of `main` as it is now that has succeeded. */
async function shipped(project: Project, environment = 'production', params: { sha?: string } = {}): Promise<string> {
  const { id } = (await expectSuccess(reportDeployment(project, { environment, status: 'success', ...params }))).body;
  await runJobs();
  return `${project.at}/deployments/${id}/merge_requests`;
}

const iidsAt = async (caller: Caller, url: string): Promise<number[]> =>
  (await expectSuccess(caller.get(url))).body.map(({ iid }: { iid: number }) => iid);

test('links all merge requests merged into the ref on the first success, later ones since the previous success', async () => {
  const project = await newProject({ readme: true });
  const { owner } = project;
  const [one, two] = [await merged(project, 'one'), await merged(project, 'two', { squash: true })];
  const first = await shipped(project);
  assert.deepEqual(await iidsAt(owner, `${first}?sort=asc`), [one.iid, two.iid]);
  const three = await merged(project, 'three');
  const second = await shipped(project);
  assert.deepEqual(await iidsAt(owner, second), [three.iid]);
  assert.deepEqual(await iidsAt(owner, `${first}?sort=asc`), [one.iid, two.iid]);
  assert.deepEqual(await iidsAt(owner, await shipped(project, 'staging')), [three.iid, two.iid, one.iid]);
});

test('links a merge request once per environment', async () => {
  const project = await newProject({ readme: true });
  const before = (await expectSuccess(project.owner.get(`${project.repository}/branches/main`))).body.commit.id;
  const { iid } = await merged(project, 'one');
  const first = await shipped(project);
  await shipped(project, 'production', { sha: before });
  assert.deepEqual(await iidsAt(project.owner, await shipped(project)), []);
  assert.deepEqual(await iidsAt(project.owner, first), [iid]);
});

test('links nothing for running deployments and review environments', async () => {
  const project = await newProject({ readme: true });
  const { iid } = await merged(project, 'one');
  const at = await shipped(project, 'review/one');
  assert.deepEqual(await iidsAt(project.owner, at), []);
  assert.deepEqual(await iidsAt(project.owner, await shipped(project, 'eu/production')), [iid]);
  const { id } = (await reportDeployment(project)).body;
  await runJobs();
  const running = `${project.at}/deployments/${id}`;
  assert.deepEqual(await iidsAt(project.owner, `${running}/merge_requests`), []);
  await expectSuccess(project.owner.put(running, { status: 'success' }));
  await runJobs();
  assert.deepEqual(await iidsAt(project.owner, `${running}/merge_requests`), [iid]);
});

test('accepts the filters of the project’s merge requests', async () => {
  const project = await newProject({ readme: true });
  const one = await merged(project, 'one');
  await merged(project, 'two');
  const at = await shipped(project);
  assert.deepEqual(await iidsAt(project.owner, `${at}?source_branch=one`), [one.iid]);
  assert.deepEqual(await iidsAt(project.owner, `${at}?state=opened`), []);
  assert.equal((await project.owner.get(`${at}?order_by=odd`)).status, 400);
  assert.equal((await anonymous.get(at)).status, 401);
});
