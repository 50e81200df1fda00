import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { beginMove } from '#repositories/ref-updates/move-refs.ts';
import { settleLeftIntents } from '#repositories/ref-updates/recovery.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { pipelineRow } from '#test/support/pipeline-rows.ts';
import { done, type Project, world } from '#test/support/world.ts';
import { mergeSoonIfWaiting } from '../auto-merge/job.ts';
import { newMergeRequest, succeedPipeline } from '../fixtures.testing.ts';

// A process that dies between writing down a merge and recording it: what the next one makes of it.

const here = await world();
const { server, newProject, work, clock } = here;
const { services } = server;
const { reader } = services.database;

/** A merge whose intent is written down, and the way to move its refs as git would. */
async function begun({ removes = true, waits = false } = {}) {
  const place = await newProject({ readme: true });
  const mr = await newMergeRequest(place);
  const pipeline = { sha: mr.sha, ref: mr.source_branch, status: 'running' } as const;
  const pipelineId = waits ? await pipelineRow(here, place, pipeline) : 0;
  if (waits) await done(place.owner.put(`${mr.at}/merge`, { auto_merge: true }));
  const project = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const repository = repositoryOf(services.git, project);
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
  const move = { project, by: { server: true, userId: place.owner.id } as const, changes, merge: pending };
  assert.ok(!isFailure(await beginMove(services, move)));
  return { place, mr, newId, moveNow: () => updateRefs(services.git, repository, changes), pipelineId };
}

const read = async ({ owner }: Project, at: string) => (await done(owner.get(at))).body;

const aborted = async (place: Project, { at }: { readonly at: string }) =>
  (await read(place, `${at}/notes`))
    .map(({ body }: { body: string }) => body)
    .filter((body: string) => body.startsWith('aborted'));

/** How often its state changed, and what the feed tells. */
async function told({ id }: { readonly id: number }) {
  const steps = reader.selectFrom('resource_state_events').select('state').where('merge_request_id', '=', id);
  const deeds = reader.selectFrom('activity_events').select('action').where('target_type', '=', 'MergeRequest');
  return {
    states: (await steps.execute()).map(({ state }) => state),
    actions: (await deeds.where('target_id', '=', id).orderBy('id').execute()).map(({ action }) => action),
  };
}

test('a merge whose branches have moved is merged, once, by whoever settles it', async () => {
  const { place, mr, newId, moveNow } = await begun();
  assert.equal((await place.owner.put(`${mr.at}/merge`)).status, 405, 'it is on its way');
  await moveNow();
  await Promise.all([1, 2].map(() => settleLeftIntents(services, true)));
  const { state, merged_by, merge_commit_sha, diff_refs } = await read(place, mr.at);
  assert.deepEqual([state, merged_by.id, merge_commit_sha], ['merged', place.owner.id, newId]);
  assert.deepEqual(diff_refs, mr.diff_refs);
  assert.deepEqual(await told(mr), { states: ['merged'], actions: ['created', 'merged'] });
  assert.equal((await place.owner.get(`${place.repository}/branches/${mr.source_branch}`)).status, 404);
});

test('a merge whose branches have not moved is none, and can be made', async () => {
  const { place, mr } = await begun();
  await settleLeftIntents(services, true);
  assert.equal((await read(place, mr.at)).state, 'opened');
  assert.deepEqual(await told(mr), { states: [], actions: ['created'] });
  assert.equal((await place.owner.put(`${mr.at}/merge`)).status, 200);
});

test('what is pushed while it is on its way is no part of it, and the automatic merge that it is not aborted', async () => {
  const { place, mr, moveNow } = await begun({ removes: false, waits: true });
  await moveNow();
  await place.commit({ 'more.txt': 'x' }, { branch: mr.source_branch, parent: mr.sha });
  await settleLeftIntents(services, true);
  const { state, sha, diff_refs } = await read(place, mr.at);
  assert.deepEqual([state, sha, diff_refs], ['merged', mr.sha, mr.diff_refs]);
  assert.equal((await read(place, `${mr.at}/versions`)).length, 1);
  assert.deepEqual(await aborted(place, mr), []);
  await work();
  const project = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const kept = await resolveRef(repositoryOf(services.git, project), `refs/merge-requests/${mr.iid}/head`);
  assert.equal(kept, mr.sha);
});

test('when it comes to nothing, what was pushed meanwhile aborts the automatic merge', async () => {
  const { place, mr } = await begun({ removes: false, waits: true });
  const pushed = await place.commit({ 'more.txt': 'x' }, { branch: mr.source_branch, parent: mr.sha });
  await services.database.transaction((tx) => mergeSoonIfWaiting(tx, mr.id));
  await work();
  assert.deepEqual(await aborted(place, mr), [], 'nobody knows yet');
  await settleLeftIntents(services, true);
  clock.advance(61);
  await work();
  const { state, sha, merge_when_pipeline_succeeds } = await read(place, mr.at);
  assert.deepEqual([state, sha, merge_when_pipeline_succeeds], ['opened', pushed, false]);
  assert.deepEqual(await aborted(place, mr), ['aborted the automatic merge because the source branch was updated']);
});

test('when it comes to nothing, what was waited for and has come meanwhile merges it all the same', async () => {
  const { place, mr, pipelineId } = await begun({ removes: false, waits: true });
  await succeedPipeline(here, pipelineId);
  await work();
  assert.equal((await read(place, mr.at)).state, 'opened', 'somebody is merging it');
  await settleLeftIntents(services, true);
  clock.advance(61);
  await work();
  const { state, merge_when_pipeline_succeeds } = await read(place, mr.at);
  assert.deepEqual([state, merge_when_pipeline_succeeds], ['merged', false]);
});

test('when a push is settled after the next one, the head is that of the next one', async () => {
  const place = await newProject({ readme: true });
  const mr = await newMergeRequest(place);
  const first = await place.commit({ 'first.txt': 'x' }, { branch: 'draft', parent: mr.sha });
  const project = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const changes = [{ ref: `refs/heads/${mr.source_branch}`, oldId: mr.sha, newId: first }];
  const intent = await beginMove(services, { project, by: { server: true, userId: place.owner.id }, changes });
  assert.ok(!isFailure(intent));
  await updateRefs(services.git, repositoryOf(services.git, project), changes);
  const second = await place.commit({ 'second.txt': 'x' }, { branch: mr.source_branch, parent: first });
  assert.equal((await read(place, mr.at)).sha, second);
  clock.advance(2);
  await work();
  assert.equal((await read(place, mr.at)).sha, second, 'while the first one is not settled');
  await settleLeftIntents(services, true);
  for (let looks = 0; looks < 2; looks++) {
    clock.advance(2);
    await work();
  }
  const { sha, merge_status } = await read(place, mr.at);
  assert.deepEqual([sha, merge_status], [second, 'can_be_merged']);
});

test('a merge of a merge request that is gone is a push like any other', async () => {
  const { place, mr, newId, moveNow } = await begun();
  await services.database.transaction((tx) => tx.deleteFrom('merge_requests').where('id', '=', mr.id).execute());
  await moveNow();
  await settleLeftIntents(services, true);
  assert.equal((await read(place, `${place.repository}/branches/main`)).commit.id, newId);
  const left = reader.selectFrom('ref_intents').select('id').where('project_id', '=', place.id);
  assert.deepEqual(await left.execute(), []);
});
