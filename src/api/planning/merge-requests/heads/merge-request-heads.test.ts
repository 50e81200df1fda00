import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { commands } from '#git/process/commands.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { done, type Project, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';
import { markMerged } from '../merging/mark-merged.ts';

const here = await world({ project: { readme: true } });
const { server, project, owner, newProject, work, clock } = here;
const { services } = server;
const { reader } = services.database;

const read = async ({ at }: { readonly at: string }) => (await done(owner.get(at))).body;

/** What lists tell of it. */
async function stored({ id }: { readonly id: number }) {
  const columns = ['merge_status', 'merge_check', 'head_sha', 'state'] as const;
  return reader.selectFrom('merge_requests').select(columns).where('id', '=', id).executeTakeFirstOrThrow();
}

function versions({ id }: { readonly id: number }) {
  const columns = ['head_commit_sha', 'start_commit_sha', 'base_commit_sha', 'state', 'real_size'] as const;
  const rows = reader.selectFrom('merge_request_versions').select(columns).where('merge_request_id', '=', id);
  return rows.orderBy('id').execute();
}

async function settle(): Promise<void> {
  clock.advance(2);
  await work();
}

const tipOf = async (branch: string, { repository } = project) =>
  (await owner.get(`${repository}/branches/${branch}`)).body.commit?.id;

test('a push to the source branch moves the head, which is another version', async () => {
  const mr = await newMergeRequest(project);
  await settle();
  const start = await tipOf('main');
  const head = await project.commit({ 'more.txt': 'x', 'most.txt': 'y' }, { branch: mr.source_branch });
  const { sha, diff_refs, changes_count, detailed_merge_status } = await read(mr);
  assert.deepEqual([sha, diff_refs, changes_count], [head, { base_sha: start, head_sha: head, start_sha: start }, '3']);
  assert.equal(detailed_merge_status, 'mergeable');
  await settle();
  const said = { start_commit_sha: start, base_commit_sha: start, state: 'collected' };
  assert.deepEqual(await versions(mr), [
    { head_commit_sha: mr.sha, ...said, real_size: '1' },
    { head_commit_sha: head, ...said, real_size: '3' },
  ]);
});

test('of pushes one soon after another each is a version that tells what it changes', async () => {
  const mr = await newMergeRequest(project);
  for (const name of ['second', 'third']) await project.commit({ [name]: 'x' }, { branch: mr.source_branch });
  await settle();
  const told = (await versions(mr)).map(({ state, real_size }) => [state, real_size]);
  assert.deepEqual(
    told,
    ['1', '2', '3'].map((size) => ['collected', size]),
  );
});

test('all that are open are looked into after a push, however many they are', async () => {
  const place = await newProject({ readme: true });
  const head = await place.commit({ 'a.txt': 'x' }, { branch: 'first' });
  const names = Array.from({ length: 201 }, (_, index) => `many-${index}`);
  await openAll(place, names, head);
  await place.commit({ 'b.txt': 'x' });
  await settle();
  const rows = reader.selectFrom('merge_requests').select('merge_check').distinct().where('project_id', '=', place.id);
  assert.deepEqual(await rows.execute(), [{ merge_check: 'no_commits' }]);
});

test('what is too dear to look at keeps nobody from looking at what is older', async (t) => {
  const [older, dear] = [await newMergeRequest(project), await newMergeRequest(project)];
  const main = await project.commit({ 'dear.txt': 'x' });
  await project.commit({ 'older.txt': 'x' }, { branch: older.source_branch, parent: main });
  t.mock.property(commands['merge-tree'], 'seconds', 0 as never);
  await settle();
  const checks = [(await stored(older)).merge_check, (await stored(dear)).merge_check];
  assert.deepEqual([checks, (await versions(dear))[0]?.state], [['ahead', null], 'collected']);
  t.mock.property(commands['diff-tree'], 'seconds', 0 as never);
  await project.commit({ 'dearer.txt': 'x' }, { branch: older.source_branch });
  await settle();
  assert.deepEqual([(await versions(older)).at(-1)?.state, (await stored(older)).merge_check], ['overflow', 'ahead']);
});

test('a push that comes while a merge request is made, or opened again, is not missed', async () => {
  const source_branch = await newBranch(project);
  await done(owner.get(project.at));
  let head = '';
  const pushMeanwhile = () =>
    atNextTransaction(here, async (run) => {
      head = await project.commit({ 'meanwhile.txt': `${head}.` }, { branch: source_branch });
      return run();
    });
  pushMeanwhile();
  const mr = await newMergeRequest(project, { source_branch });
  assert.deepEqual([mr.sha, mr.diff_refs.head_sha], [head, head]);
  await done(owner.put(mr.at, { state_event: 'close' }));
  await project.commit({ 'closed.txt': 'x' }, { branch: source_branch });
  assert.equal((await read(mr)).sha, head);
  pushMeanwhile();
  assert.equal((await done(owner.put(mr.at, { state_event: 'reopen' }))).body.sha, head);
});

test('lists know whether it can be merged soon after either branch has moved', async () => {
  const mr = await newMergeRequest(project);
  assert.equal((await stored(mr)).merge_status, 'unchecked');
  await settle();
  assert.deepEqual((await stored(mr)).merge_check, 'ahead');
  await project.commit({ [`${mr.source_branch}.txt`]: 'ours' });
  assert.deepEqual((await stored(mr)).merge_status, 'unchecked');
  const { merge_status, has_conflicts, detailed_merge_status } = await read(mr);
  assert.deepEqual([merge_status, has_conflicts, detailed_merge_status], ['cannot_be_merged', true, 'conflict']);
  await settle();
  const { merge_status: status, merge_check } = await stored(mr);
  assert.deepEqual([status, merge_check], ['cannot_be_merged', 'conflict']);
});

test('it stays open without its source branch, and is not merged until that is back', async () => {
  const mr = await newMergeRequest(project);
  await done(owner.delete(`${project.repository}/branches/${mr.source_branch}`));
  const { state, sha, detailed_merge_status, changes_count } = await read(mr);
  assert.deepEqual([state, sha, detailed_merge_status, changes_count], ['opened', mr.sha, 'commits_status', '1']);
  assert.equal((await owner.put(`${mr.at}/merge`)).status, 405);
  await done(owner.post(`${project.repository}/branches`, { branch: mr.source_branch, ref: mr.sha }));
  assert.equal((await read(mr)).detailed_merge_status, 'mergeable');
});

test('its head has a ref of its own, which keeps it when its source branch goes, and goes with it', async () => {
  const mr = await newMergeRequest(project);
  const kept = async () => {
    await work();
    const ref = encodeURIComponent(`refs/merge-requests/${mr.iid}/head`);
    return (await owner.get(`${project.repository}/commits/${ref}`)).body.id;
  };
  assert.equal(await kept(), mr.sha);
  const head = await project.commit({ 'kept.txt': 'x' }, { branch: mr.source_branch });
  assert.equal(await kept(), head);
  await done(owner.delete(`${project.repository}/branches/${mr.source_branch}`));
  assert.equal(await kept(), head);
  await done(owner.delete(mr.at));
  assert.equal(await kept(), undefined);
});

test('without commits of its own, without a target, and of another history it is not merged', async () => {
  const branch = await newBranch(project);
  await done(owner.post(`${project.repository}/branches`, { branch: `${branch}-same`, ref: branch }));
  const same = await newMergeRequest(project, { source_branch: `${branch}-same`, target_branch: branch });
  assert.deepEqual(
    [(await read(same)).detailed_merge_status, (await read(same)).changes_count],
    ['commits_status', '0'],
  );
  const other = await newMergeRequest(project, { target_branch: branch });
  await done(owner.delete(`${project.repository}/branches/${branch}`));
  for (const mr of [same, other]) {
    assert.equal((await read(mr)).detailed_merge_status, 'commits_status');
    assert.equal((await owner.put(`${mr.at}/merge`)).status, 405);
  }
  await project.commit({ 'island.txt': 'x' }, { branch: `${branch}-island`, parent: null });
  const island = await newMergeRequest(project, { source_branch: `${branch}-island` });
  assert.equal((await read(island)).detailed_merge_status, 'conflict');
  assert.equal((await owner.put(`${island.at}/merge`)).status, 422);
});

/** A push of the owner, of what is in the repository already. */
async function push(place: Project, changes: readonly RefChange[]): Promise<void> {
  const found = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const moved = await moveRefs(services, { project: found, by: { server: true, userId: place.owner.id }, changes });
  assert.equal(moved, undefined);
}

test('who merges by hand has merged all that came along, as itself or under a merge commit', async () => {
  const place = await newProject({ readme: true });
  const [merged, taken, idle] = [
    await newMergeRequest(place),
    await newMergeRequest(place),
    await newMergeRequest(place),
  ];
  const oldId = merged.diff_refs.start_sha;
  const me = { name: 'Me', email: 'me@example.com' };
  const newId = await place.store(async (git, repository) => {
    const { treeId: tree } = (await readCommit(git, repository, merged.sha))!;
    return writeCommit(git, repository, {
      tree,
      parents: [taken.sha, merged.sha],
      author: me,
      committer: me,
      message: 'M',
    });
  });
  await push(place, [{ ref: 'refs/heads/main', oldId, newId }]);
  await settle();
  const states = await Promise.all([merged, taken, idle].map(async (mr) => (await done(place.owner.get(mr.at))).body));
  const shown = states.map((mr) => [mr.state, mr.merge_commit_sha, mr.merged_by?.id, mr.diff_refs.base_sha]);
  assert.deepEqual(shown, [
    ['merged', newId, place.owner.id, oldId],
    ['merged', taken.sha, place.owner.id, oldId],
    ['opened', null, undefined, oldId],
  ]);
  assert.equal((await place.owner.get(`${merged.at}/diffs`)).body.length, 1);
});

test('what has been led elsewhere since its head came along is not merged', async () => {
  const mr = await newMergeRequest(project);
  const by = await actorOf(reader, project.owner.id);
  const start = mr.diff_refs.start_sha;
  const commits = { newId: mr.sha, mergeCommit: mr.sha, squashCommit: null, base: start, start };
  const whose = { mergeRequestId: mr.id, userId: project.owner.id, ifHead: mr.sha, shouldRemoveSourceBranch: null };
  const mark = (ref: string) => services.runUnitOfWork(by, (uow) => markMerged(uow, { ...whose, ...commits, ref }));
  await mark('refs/heads/elsewhere');
  assert.deepEqual([(await read(mr)).state, (await read(mr)).target_branch], ['opened', 'main']);
  await mark('refs/heads/main');
  assert.equal((await read(mr)).state, 'merged');
});

test('a push of very many branches moves the heads of all that they are the sources of', async () => {
  const place = await newProject({ readme: true });
  const head = await place.commit({ 'a.txt': 'x' }, { branch: 'first' });
  const next = await place.commit({ 'a.txt': 'y' }, { branch: 'first' });
  const names = Array.from({ length: 450 }, (_, index) => `many-${index}`);
  const all = (oldId: string, newId: string) => names.map((name) => ({ ref: `refs/heads/${name}`, oldId, newId }));
  await push(place, all(zeroId, head));
  const one = await openAll(place, names, head);
  await push(place, all(head, next));
  const rows = reader.selectFrom('merge_requests').select('head_sha').distinct().where('project_id', '=', place.id);
  assert.deepEqual(await rows.execute(), [{ head_sha: next }]);
  assert.equal((await versions({ id: one })).length, 1);
});

/** Rows of merge requests from each of these into main; the id of one of them. */
async function openAll(place: Project, names: readonly string[], head_sha: string): Promise<number> {
  return services.database.transaction(async (tx) => {
    const shared = {
      project_id: place.id,
      title: 'x',
      title_key: 'x',
      author_id: place.owner.id,
      target_branch: 'main',
    };
    const rows = names.map((source_branch, index) => ({
      ...shared,
      iid: index + 1,
      source_branch,
      head_sha,
      state: 'opened' as const,
      draft: false,
      merge_status: 'unchecked' as const,
      squash: false,
      created_at: tx.now,
      updated_at: tx.now,
    }));
    const made = await tx.insertInto('merge_requests').values(rows).returning('id').execute();
    return made[0]!.id;
  });
}
