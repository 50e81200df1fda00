import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PipelineStatus } from '#database/schema.ts';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const here = await world();
const { newProject, runJobs, root } = here;

const ABORTED = 'aborted the automatic merge because the pipeline was deleted';

/** Creates a merge request with pipelines of its head in these statuses, the newest one last, and enables auto-merge. */
async function createWithAutoMerge(settings: object, ...statuses: readonly PipelineStatus[]) {
  const project = await newProject({ readme: true, ...settings });
  const mr = await newMergeRequest(project);
  const pipelines: number[] = [];
  for (const status of statuses)
    pipelines.push(await insertPipelineRow(here, project, { sha: mr.sha, ref: mr.source_branch, status }));
  await expectSuccess(project.owner.put(`${mr.at}/merge`, { auto_merge: true }));
  return { project, mr, pipelines };
}

async function deletePipeline({ owner, at }: Project, id: number | undefined): Promise<void> {
  await expectSuccess(owner.delete(`${at}/pipelines/${id}`));
  await runJobs();
}

async function getState({ owner }: Project, mr: { readonly at: string }) {
  const { state, merge_when_pipeline_succeeds } = (await expectSuccess(owner.get(mr.at))).body;
  return [state, merge_when_pipeline_succeeds];
}

const getLastNote = async ({ owner }: Project, mr: { readonly at: string }) =>
  (await expectSuccess(owner.get(`${mr.at}/notes`))).body[0];

test('merges when its pipeline is deleted and the project requires none', async () => {
  const { project, mr, pipelines } = await createWithAutoMerge({}, 'running');
  await deletePipeline(project, pipelines[0]);
  assert.deepEqual(await getState(project, mr), ['merged', false]);
});

test('aborts auto-merge with a note when its pipeline is deleted and the project requires one', async () => {
  const settings = { only_allow_merge_if_pipeline_succeeds: true };
  const { project, mr, pipelines } = await createWithAutoMerge(settings, 'running');
  await expectSuccess(root.delete(`${project.at}/pipelines/${pipelines[0]}`));
  const { body, author, system } = await getLastNote(project, mr);
  assert.deepEqual([body, author.id, system], [ABORTED, root.id, true]);
  await runJobs();
  assert.deepEqual(await getState(project, mr), ['opened', false]);
});

test('follows the earlier pipeline of the same commit when the newest is deleted', async () => {
  const settings = { only_allow_merge_if_pipeline_succeeds: true };
  for (const [earlier, state] of [
    ['success', ['merged', false]],
    ['running', ['opened', true]],
  ] as const) {
    const { project, mr, pipelines } = await createWithAutoMerge(settings, earlier, 'running');
    await deletePipeline(project, pipelines[1]);
    assert.deepEqual(await getState(project, mr), state, earlier);
  }
});

test('ignores the deletion of pipelines of other commits, branches and tags', async () => {
  const settings = { only_allow_merge_if_pipeline_succeeds: true };
  const { project, mr } = await createWithAutoMerge(settings, 'running');
  const { sha, source_branch: ref } = mr;
  for (const row of [{ ref }, { sha }, { sha, ref, tag: true }])
    await deletePipeline(project, await insertPipelineRow(here, project, row));
  assert.deepEqual(await getState(project, mr), ['opened', true]);
});

test('aborts auto-merge as the user who enabled it when the project discards old pipelines', async () => {
  const settings = { only_allow_merge_if_pipeline_succeeds: true };
  const { project, mr } = await createWithAutoMerge(settings, 'running');
  await expectSuccess(project.owner.put(project.at, { ci_delete_pipelines_in_seconds: 86_400 }));
  here.clock.advance(2 * 86_400);
  await runJobs();
  const { body, author } = await getLastNote(project, mr);
  assert.deepEqual([body, author.id], [ABORTED, project.owner.id]);
  assert.deepEqual(await getState(project, mr), ['opened', false]);
});
