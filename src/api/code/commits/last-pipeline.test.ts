import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

const testWorld = await world();

/** A project with a commit; `shown` returns the pipelines that a caller sees. */
async function createProjectWithCommit(attributes: Readonly<Record<string, unknown>> = {}) {
  const project = await testWorld.newProject(attributes);
  const sha = await project.commit({ 'a.txt': 'a' });
  const fetchResult = async (caller: typeof project.owner) => {
    const { status, last_pipeline } = (await expectSuccess(caller.get(`${project.repository}/commits/${sha}`))).body;
    return { status, last_pipeline };
  };
  return { project, sha, shown: fetchResult };
}

test('returns the latest pipeline of a commit on any ref, and its status', async () => {
  const { project, sha, shown } = await createProjectWithCommit();
  await insertPipelineRow(testWorld, project, { sha, status: 'failed' });
  const id = await insertPipelineRow(testWorld, project, {
    sha,
    ref: 'v1',
    tag: true,
    status: 'success',
    source: 'api',
  });
  await insertPipelineRow(testWorld, project, { status: 'running' });
  const { status, last_pipeline } = await shown(project.owner);
  const { created_at, updated_at, ...rest } = last_pipeline;
  assert.deepEqual([status, created_at, updated_at].map(Boolean), [true, true, true]);
  assert.equal(status, 'success');
  assert.deepEqual(rest, {
    id,
    iid: 2,
    project_id: project.id,
    sha,
    ref: 'v1',
    status: 'success',
    source: 'api',
    web_url: `${project.web_url}/-/pipelines/${id}`,
  });
});

test('ignores pipelines of other projects with the same commit', async () => {
  const { sha, shown, project } = await createProjectWithCommit();
  await insertPipelineRow(testWorld, await testWorld.newProject(), { sha });
  assert.deepEqual(await shown(project.owner), { status: null, last_pipeline: null });
});

test('hides pipelines from callers who may not read them', async () => {
  const { project, sha, shown } = await createProjectWithCommit({
    visibility: 'public',
    builds_access_level: 'private',
  });
  await insertPipelineRow(testWorld, project, { sha, status: 'success' });
  const stranger = await testWorld.user();
  assert.deepEqual(await shown(stranger), { status: null, last_pipeline: null });
  assert.equal((await shown(await project.addMember('reporter'))).status, 'success');
});

test('updates a commit when its pipelines change', async () => {
  const { project, sha, shown } = await createProjectWithCommit();
  const seen = [];
  for (const status of ['running', 'failed'] as const) {
    await insertPipelineRow(testWorld, project, { sha, status });
    for (let times = 0; times < 3; times++) seen.push((await shown(project.owner)).status);
  }
  assert.deepEqual(seen, ['running', 'running', 'running', 'failed', 'failed', 'failed']);
});
