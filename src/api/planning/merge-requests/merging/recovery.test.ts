import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { beginMove } from '#repositories/ref-updates/move-refs.ts';
import { recoverInterruptedRefUpdates } from '#repositories/ref-updates/recovery.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { enqueueAutoMergeIfEnabled } from '../auto-merge/changes.ts';
import { newMergeRequest, succeedPipeline } from '../fixtures.testing.ts';

// Recovery of a merge after a crash between storing its intent and recording it.

const here = await world();
const { server, newProject, runJobs, clock } = here;
const { services } = server;
const { reader } = services.database;

/** Stores the intent of a merge, and returns a function that moves its refs like git. */
async function beginMerge({ removes = true, waits = false } = {}) {
  const place = await newProject({ readme: true });
  const mr = await newMergeRequest(place);
  const pipeline = { sha: mr.sha, ref: mr.source_branch, status: 'running' } as const;
  const pipelineId = waits ? await insertPipelineRow(here, place, pipeline) : 0;
  if (waits) await expectSuccess(place.owner.put(`${mr.at}/merge`, { auto_merge: true }));
  const project = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const repository = getRepository(services.git, project);
  const { base_sha: start } = mr.diff_refs;
  const me = { name: 'Me', email: 'me@example.com' };
  const { treeId: tree } = (await readCommit(services.git, repository, mr.sha))!;
  const made = { tree, parents: [start, mr.sha], author: me, committer: me, message: 'Merge' };
  const newId = await writeCommit(services.git, repository, made);
  const changes = [
    { ref: 'refs/heads/main', oldId: start, newId },
    ...(removes ? [{ ref: `refs/heads/${mr.source_branch}`, oldId: mr.sha, newId: '0'.repeat(40) }] : []),
  ];
  const merge = { mergeRequestId: mr.id, ref: 'refs/heads/main', newId, mergeCommit: newId, squashCommit: null };
  const pending = { ...merge, head: mr.sha, base: start, start, shouldRemoveSourceBranch: null };
  const move = { project, actor: { server: true, userId: place.owner.id } as const, changes, merge: pending };
  assert.ok(!isFailure(await beginMove(services, move)));
  return { place, mr, newId, moveNow: () => updateRefs(services.git, repository, changes), pipelineId };
}

const getMergeRequest = async ({ owner }: Project, at: string) => (await expectSuccess(owner.get(at))).body;

const isAborted = async (place: Project, { at }: { readonly at: string }) =>
  (await getMergeRequest(place, `${at}/notes`))
    .map(({ body }: { body: string }) => body)
    .filter((body: string) => body.startsWith('aborted'));

/** Returns the state events and activity events. */
async function countEvents({ id }: { readonly id: number }) {
  const steps = reader.selectFrom('resource_state_events').select('state').where('merge_request_id', '=', id);
  const deeds = reader.selectFrom('activity_events').select('action').where('target_type', '=', 'MergeRequest');
  return {
    states: (await steps.execute()).map(({ state }) => state),
    actions: (await deeds.where('target_id', '=', id).orderBy('id').execute()).map(({ action }) => action),
  };
}

test('recovery marks a merge whose branches have moved, once', async () => {
  const { place, mr, newId, moveNow } = await beginMerge();
  assert.equal((await place.owner.put(`${mr.at}/merge`)).status, 405, 'the merge is in progress');
  await moveNow();
  await Promise.all([1, 2].map(() => recoverInterruptedRefUpdates(services, { isOnlyProcess: true })));
  const { state, merged_by, merge_commit_sha, diff_refs } = await getMergeRequest(place, mr.at);
  assert.deepEqual([state, merged_by.id, merge_commit_sha], ['merged', place.owner.id, newId]);
  assert.deepEqual(diff_refs, mr.diff_refs);
  assert.deepEqual(await countEvents(mr), { states: ['merged'], actions: ['created', 'merged'] });
  assert.equal((await place.owner.get(`${place.repository}/branches/${mr.source_branch}`)).status, 404);
});

test('recovery drops a merge whose branches have not moved, and it can be repeated', async () => {
  const { place, mr } = await beginMerge();
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal((await getMergeRequest(place, mr.at)).state, 'opened');
  assert.deepEqual(await countEvents(mr), { states: [], actions: ['created'] });
  assert.equal((await place.owner.put(`${mr.at}/merge`)).status, 200);
});

test('a push during a merge is not part of it and does not abort auto-merge', async () => {
  const { place, mr, moveNow } = await beginMerge({ removes: false, waits: true });
  await moveNow();
  await place.commit({ 'more.txt': 'x' }, { branch: mr.source_branch, parent: mr.sha });
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  const { state, sha, diff_refs } = await getMergeRequest(place, mr.at);
  assert.deepEqual([state, sha, diff_refs], ['merged', mr.sha, mr.diff_refs]);
  assert.equal((await getMergeRequest(place, `${mr.at}/versions`)).length, 1);
  assert.deepEqual(await isAborted(place, mr), []);
  await runJobs();
  const project = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const kept = await resolveRef(getRepository(services.git, project), `refs/merge-requests/${mr.iid}/head`);
  assert.equal(kept, mr.sha);
});

test('after a failed merge, a push during it aborts auto-merge', async () => {
  const { place, mr } = await beginMerge({ removes: false, waits: true });
  const pushed = await place.commit({ 'more.txt': 'x' }, { branch: mr.source_branch, parent: mr.sha });
  await services.database.transaction((tx) => enqueueAutoMergeIfEnabled(tx, mr.id));
  await runJobs();
  assert.deepEqual(await isAborted(place, mr), [], 'auto-merge is not aborted during the merge');
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  clock.advance(61);
  await runJobs();
  const { state, sha, merge_when_pipeline_succeeds } = await getMergeRequest(place, mr.at);
  assert.deepEqual([state, sha, merge_when_pipeline_succeeds], ['opened', pushed, false]);
  assert.deepEqual(await isAborted(place, mr), ['aborted the automatic merge because the source branch was updated']);
});

test('after a failed merge, requirements fulfilled during it still trigger auto-merge', async () => {
  const { place, mr, pipelineId } = await beginMerge({ removes: false, waits: true });
  await succeedPipeline(here, pipelineId);
  await runJobs();
  assert.equal((await getMergeRequest(place, mr.at)).state, 'opened', 'another merge is in progress');
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  clock.advance(61);
  await runJobs();
  const { state, merge_when_pipeline_succeeds } = await getMergeRequest(place, mr.at);
  assert.deepEqual([state, merge_when_pipeline_succeeds], ['merged', false]);
});

test('the head is that of the later push if an earlier one is recovered after it', async () => {
  const place = await newProject({ readme: true });
  const mr = await newMergeRequest(place);
  const first = await place.commit({ 'first.txt': 'x' }, { branch: 'draft', parent: mr.sha });
  const project = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const changes = [{ ref: `refs/heads/${mr.source_branch}`, oldId: mr.sha, newId: first }];
  const intent = await beginMove(services, { project, actor: { server: true, userId: place.owner.id }, changes });
  assert.ok(!isFailure(intent));
  await updateRefs(services.git, getRepository(services.git, project), changes);
  const second = await place.commit({ 'second.txt': 'x' }, { branch: mr.source_branch, parent: first });
  assert.equal((await getMergeRequest(place, mr.at)).sha, second);
  clock.advance(2);
  await runJobs();
  assert.equal(
    (await getMergeRequest(place, mr.at)).sha,
    second,
    'the head stays the same while the first intent is unfinished',
  );
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  for (let looks = 0; looks < 2; looks++) {
    clock.advance(2);
    await runJobs();
  }
  const { sha, merge_status } = await getMergeRequest(place, mr.at);
  assert.deepEqual([sha, merge_status], [second, 'can_be_merged']);
});

test('a merge of a deleted merge request is recovered as a push', async () => {
  const { place, mr, newId, moveNow } = await beginMerge();
  await services.database.transaction((tx) => tx.deleteFrom('merge_requests').where('id', '=', mr.id).execute());
  await moveNow();
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  assert.equal((await getMergeRequest(place, `${place.repository}/branches/main`)).commit.id, newId);
  const left = reader.selectFrom('ref_intents').select('id').where('project_id', '=', place.id);
  assert.deepEqual(await left.execute(), []);
});
