import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PipelineStatus } from '#database/schema.ts';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from './fixtures.testing.ts';

const here = await world({ project: { readme: true, with: ['reporter'] } });
const { project, owner, reporter, newProject, newGroup, server } = here;

type Made = Awaited<ReturnType<typeof newMergeRequest>>;

/** Creates a pipeline for the merge request's head. */
const createPipeline = (mr: Made, status: PipelineStatus, of: Project = project) =>
  insertPipelineRow(here, of, { sha: mr.sha, ref: mr.source_branch, status });

/** Sets the status of the pipeline. */
const setPipelineStatus = (id: number, status: PipelineStatus) =>
  server.services.database.transaction((tx) =>
    tx.updateTable('pipelines').set({ status }).where('id', '=', id).execute(),
  );

const E405 = [405, { message: '405 Method Not Allowed' }];

test('a single merge request shows the latest head pipeline and its times', async () => {
  const mr = await newMergeRequest(project);
  assert.deepEqual([mr.pipeline, mr.head_pipeline, mr.latest_build_started_at], [null, null, null]);
  const times = { started_at: '2026-03-01T08:00:00.000Z', finished_at: '2026-03-01T08:05:00.000Z' };
  const row = { sha: mr.sha, ref: mr.source_branch, status: 'success', ...times } as const;
  await createPipeline(mr, 'failed');
  const id = await insertPipelineRow(here, project, row);
  await insertPipelineRow(here, project, { ...row, tag: true });
  await insertPipelineRow(here, project, { ...row, sha: 'b'.repeat(40) });
  await insertPipelineRow(here, project, { ...row, ref: 'main' });
  const { body } = await expectSuccess(reporter.get(mr.at));
  const alone = (await expectSuccess(owner.get(`${project.at}/pipelines/${id}`))).body;
  const [listed] = (
    await expectSuccess(owner.get(`${project.at}/pipelines`, { ref: mr.source_branch, sha: mr.sha, status: 'success' }))
  ).body.filter((one: { id: number }) => one.id === id);
  const { name: _, ...full } = alone;
  assert.deepEqual([body.head_pipeline, body.pipeline], [full, listed]);
  assert.deepEqual(
    [body.latest_build_started_at, body.latest_build_finished_at],
    [times.started_at, times.finished_at],
  );
  const changes = (await expectSuccess(owner.get(`${mr.at}/changes`))).body;
  assert.deepEqual(changes.head_pipeline, full);
});

test('hides pipelines without permission, but shows the merge status', async () => {
  const place = await newProject({
    readme: true,
    visibility: 'public',
    builds_access_level: 'private',
    only_allow_merge_if_pipeline_succeeds: true,
  });
  const mr = await newMergeRequest(place);
  await createPipeline(mr, 'running', place);
  const { body } = await expectSuccess(here.anonymous.get(mr.at));
  assert.deepEqual([body.pipeline, body.head_pipeline, body.detailed_merge_status], [null, null, 'ci_still_running']);
  assert.equal((await expectSuccess(place.owner.get(mr.at))).body.head_pipeline.status, 'running');
});

test('a required pipeline must succeed, in single responses and lists', async () => {
  const place = await newProject({ readme: true, only_allow_merge_if_pipeline_succeeds: true });
  const mr = await newMergeRequest(place);
  const statuses = async () => {
    const [listed] = (await expectSuccess(place.owner.get(`${place.at}/merge_requests`, { state: 'opened' }))).body;
    const alone = (await expectSuccess(place.owner.get(mr.at))).body.detailed_merge_status;
    return [alone, listed.detailed_merge_status];
  };
  here.clock.advance(2);
  await here.runJobs();
  assert.deepEqual(await statuses(), ['ci_must_pass', 'ci_must_pass']);
  for (const [status, shown] of [
    ['running', 'ci_still_running'],
    ['failed', 'ci_must_pass'],
    ['skipped', 'ci_must_pass'],
  ] as const) {
    await createPipeline(mr, status, place);
    assert.deepEqual(await statuses(), [shown, shown], status);
    const merged = await place.owner.put(`${mr.at}/merge`);
    assert.deepEqual([merged.status, merged.body], E405, status);
  }
  await expectSuccess(place.owner.put(place.at, { allow_merge_on_skipped_pipeline: true }));
  assert.deepEqual(await statuses(), ['mergeable', 'mergeable']);
  assert.equal((await place.owner.put(`${mr.at}/merge`)).status, 200);
});

test('pipeline requirements of an ancestor group apply to its projects', async () => {
  const group = await newGroup({ only_allow_merge_if_pipeline_succeeds: true });
  const place = await newProject({ in: group, readme: true, only_allow_merge_if_pipeline_succeeds: false });
  const mr = await newMergeRequest(place, {}, group.owner);
  const status = async () => (await expectSuccess(group.owner.get(mr.at))).body.detailed_merge_status;
  assert.equal(await status(), 'ci_must_pass');
  assert.equal((await group.owner.put(`${mr.at}/merge`)).status, 405);
  await createPipeline(mr, 'skipped', place);
  assert.equal(await status(), 'ci_must_pass');
  await expectSuccess(group.owner.put(group.at, { allow_merge_on_skipped_pipeline: true }));
  assert.equal(await status(), 'mergeable');
  assert.equal((await group.owner.put(`${mr.at}/merge`)).status, 200);
});

test('a pipeline that fails during a merge stops it', async () => {
  const place = await newProject({ readme: true, only_allow_merge_if_pipeline_succeeds: true });
  const mr = await newMergeRequest(place);
  const id = await createPipeline(mr, 'success', place);
  await expectSuccess(place.owner.get(mr.at));
  atNextTransaction(here, async (run) => {
    await setPipelineStatus(id, 'failed');
    return run();
  });
  const { status, body } = await place.owner.put(`${mr.at}/merge`);
  assert.deepEqual([status, body], E405);
  assert.equal((await expectSuccess(place.owner.get(mr.at))).body.state, 'opened');
  await setPipelineStatus(id, 'success');
  assert.equal((await place.owner.put(`${mr.at}/merge`)).status, 200);
});
