import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelineRow } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';

const here = await world();

/** A project with a commit; `shown` is what this caller is shown of its pipelines. */
async function committed(attributes: Readonly<Record<string, unknown>> = {}) {
  const project = await here.newProject(attributes);
  const sha = await project.commit({ 'a.txt': 'a' });
  const shown = async (caller: typeof project.owner) => {
    const { status, last_pipeline } = (await done(caller.get(`${project.repository}/commits/${sha}`))).body;
    return { status, last_pipeline };
  };
  return { project, sha, shown };
}

test('a commit shows its newest pipeline, on whatever ref, and the status of that', async () => {
  const { project, sha, shown } = await committed();
  await pipelineRow(here, project, { sha, status: 'failed' });
  const id = await pipelineRow(here, project, { sha, ref: 'v1', tag: true, status: 'success', source: 'api' });
  await pipelineRow(here, project, { status: 'running' });
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

test('the pipeline of another project with that commit is not shown', async () => {
  const { sha, shown, project } = await committed();
  await pipelineRow(here, await here.newProject(), { sha });
  assert.deepEqual(await shown(project.owner), { status: null, last_pipeline: null });
});

test('who may not read pipelines is shown none', async () => {
  const { project, sha, shown } = await committed({ visibility: 'public', builds_access_level: 'private' });
  await pipelineRow(here, project, { sha, status: 'success' });
  const stranger = await here.user();
  assert.deepEqual(await shown(stranger), { status: null, last_pipeline: null });
  assert.equal((await shown(await project.add('reporter'))).status, 'success');
});

test('what a commit shows changes with its pipelines', async () => {
  const { project, sha, shown } = await committed();
  const seen = [];
  for (const status of ['running', 'failed'] as const) {
    await pipelineRow(here, project, { sha, status });
    for (let times = 0; times < 3; times++) seen.push((await shown(project.owner)).status);
  }
  assert.deepEqual(seen, ['running', 'running', 'running', 'failed', 'failed', 'failed']);
});
