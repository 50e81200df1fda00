import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PipelineStatus } from '#database/schema.ts';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';

const here = await world({ project: { readme: true, with: ['developer', 'maintainer'] } });
const { project, owner, maintainer, developer, newProject } = here;

type Made = Awaited<ReturnType<typeof newMergeRequest>>;

const createPipeline = (mr: Made, status: PipelineStatus, of: Project = project) =>
  insertPipelineRow(here, of, { sha: mr.sha, ref: mr.source_branch, status });

const listNotes = async (mr: Made) =>
  (await expectSuccess(owner.get(`${mr.at}/notes`, { sort: 'asc' }))).body.map(({ body }: { body: string }) => body);

const E405 = [405, { message: '405 Method Not Allowed' }];
const E401 = [401, { message: '401 Unauthorized' }];

test('enables auto-merge with its options while a pipeline runs', async () => {
  const mr = await newMergeRequest(project);
  await createPipeline(mr, 'running');
  const input = { auto_merge: true, should_remove_source_branch: true, sha: mr.sha };
  const { status, body } = await maintainer.put(`${mr.at}/merge`, input);
  assert.deepEqual(
    [status, body.state, body.merge_when_pipeline_succeeds, body.merge_user.id, body.should_remove_source_branch],
    [200, 'opened', true, maintainer.id, true],
  );
  const [listed] = (await expectSuccess(owner.get(`${project.at}/merge_requests`, { iids: mr.iid }))).body;
  assert.deepEqual([listed.merge_when_pipeline_succeeds, listed.merge_user.id], [true, maintainer.id]);
  await expectSuccess(owner.put(`${mr.at}/merge`, { merge_when_pipeline_succeeds: true }));
  assert.equal(
    (await expectSuccess(owner.get(mr.at))).body.merge_user.id,
    owner.id,
    'a second input replaces the first',
  );
  assert.deepEqual(await listNotes(mr), [`enabled an automatic merge when all merge checks for ${mr.sha} pass`]);
});

test('stores in the merge request whether the automatic merge squashes', async () => {
  const mr = await newMergeRequest(project);
  await createPipeline(mr, 'running');
  const { body } = await expectSuccess(owner.put(`${mr.at}/merge`, { auto_merge: true, squash: true }));
  assert.deepEqual([body.state, body.squash, body.squash_on_merge], ['opened', true, true]);
});

test('merges at once if the pipeline has succeeded', async () => {
  const mr = await newMergeRequest(project);
  await createPipeline(mr, 'success');
  const { body } = await expectSuccess(owner.put(`${mr.at}/merge`, { auto_merge: true }));
  assert.deepEqual([body.state, body.merge_when_pipeline_succeeds], ['merged', false]);
});

test('rejects auto-merge if there is nothing to wait for or only a new head can help', async () => {
  const place = await newProject({ readme: true });
  const plain = await newMergeRequest(place);
  const failed = await newMergeRequest(place);
  await createPipeline(failed, 'failed', place);
  const conflict = await newMergeRequest(place);
  await place.commit({ [`${conflict.source_branch}.txt`]: 'other' });
  await createPipeline(conflict, 'running', place);
  const closed = await newMergeRequest(place, { title: 'Draft: Closed' });
  await expectSuccess(place.owner.put(closed.at, { state_event: 'close' }));
  for (const [index, mr] of [plain, failed, conflict, closed].entries()) {
    const { status, body } = await place.owner.put(`${mr.at}/merge`, { auto_merge: true });
    assert.deepEqual([status, body], E405, String(index));
    assert.deepEqual(
      await expectSuccess(place.owner.get(mr.at)).then((answer) => answer.body.merge_when_pipeline_succeeds),
      false,
    );
  }
  await expectSuccess(place.owner.put(place.at, { merge_method: 'ff' }));
  await place.commit({ 'more.txt': 'x' });
  await createPipeline(plain, 'running', place);
  assert.equal(
    (await place.owner.put(`${plain.at}/merge`, { auto_merge: true })).status,
    405,
    'the merge request needs a rebase',
  );
});

test('waits for drafts, titles and required pipelines', async () => {
  const place = await newProject({ readme: true });
  const draft = await newMergeRequest(place, { title: 'Draft: Words' });
  const other = await draft.sha.replace(/^./, (one: string) => (one === '0' ? '1' : '0'));
  const differs = await place.owner.put(`${draft.at}/merge`, { auto_merge: true, sha: other });
  assert.equal(differs.status, 409);
  const failed = await newMergeRequest(place);
  await createPipeline(failed, 'failed', place);
  const none = await newMergeRequest(place);
  await expectSuccess(place.owner.put(place.at, { only_allow_merge_if_pipeline_succeeds: true }));
  for (const mr of [draft, failed, none]) {
    const { body } = await expectSuccess(place.owner.put(`${mr.at}/merge`, { auto_merge: true }));
    assert.deepEqual([body.state, body.merge_when_pipeline_succeeds], ['opened', true]);
  }
});

test('the author and callers who may merge cancel auto-merge once; others get 401', async () => {
  const mr = await newMergeRequest(project, { title: 'Draft: It' }, developer);
  const cancel = (by = owner) => by.post(`${mr.at}/cancel_merge_when_pipeline_succeeds`);
  const off = await cancel();
  assert.deepEqual([off.status, off.body], [406, { message: "Can't cancel the automatic merge" }]);
  const enable = () =>
    expectSuccess(owner.put(`${mr.at}/merge`, { auto_merge: true, should_remove_source_branch: true }));
  await enable();
  const another = await project.addMember('developer');
  const refused = await cancel(another);
  assert.deepEqual([refused.status, refused.body], E401);
  for (const by of [developer, maintainer]) {
    const { status, body } = await cancel(by);
    assert.deepEqual([status, body], [201, { status: 'success' }]);
    const read = (await expectSuccess(owner.get(mr.at))).body;
    assert.deepEqual(
      [read.merge_when_pipeline_succeeds, read.merge_user, read.should_remove_source_branch],
      [false, null, null],
    );
    await enable();
  }
  const enabled = `enabled an automatic merge when all merge checks for ${mr.sha} pass`;
  const canceled = 'canceled the automatic merge';
  assert.deepEqual(await listNotes(mr), [enabled, canceled, enabled, canceled, enabled]);
  assert.equal((await cancel(await project.addMember('guest'))).status, 404);
});
