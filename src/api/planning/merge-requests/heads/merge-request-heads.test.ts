import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { COMMANDS } from '#git/process/commands.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';
import { markMerged } from '../merging/mark-merged.ts';

const here = await world({ project: { readme: true } });
const { server, project, owner, newProject, runJobs, clock } = here;
const { services } = server;
const { reader } = services.database;

const getMergeRequest = async ({ at }: { readonly at: string }) => (await expectSuccess(owner.get(at))).body;

/** Returns the merge request as shown in lists. */
async function findInList({ id }: { readonly id: number }) {
  const columns = ['merge_status', 'merge_check', 'head_sha', 'state'] as const;
  return reader.selectFrom('merge_requests').select(columns).where('id', '=', id).executeTakeFirstOrThrow();
}

function listVersions({ id }: { readonly id: number }) {
  const columns = ['head_commit_sha', 'start_commit_sha', 'base_commit_sha', 'state', 'real_size'] as const;
  const rows = reader.selectFrom('merge_request_versions').select(columns).where('merge_request_id', '=', id);
  return rows.orderBy('id').execute();
}

async function settle(): Promise<void> {
  clock.advance(2);
  await runJobs();
}

const headOf = async (branch: string, { repository } = project) =>
  (await owner.get(`${repository}/branches/${branch}`)).body.commit?.id;

test('a push to the source branch moves the head and adds a version', async () => {
  const mr = await newMergeRequest(project);
  await settle();
  const start = await headOf('main');
  const head = await project.commit({ 'more.txt': 'x', 'most.txt': 'y' }, { branch: mr.source_branch });
  const { sha, diff_refs, changes_count, detailed_merge_status } = await getMergeRequest(mr);
  assert.deepEqual([sha, diff_refs, changes_count], [head, { base_sha: start, head_sha: head, start_sha: start }, '3']);
  assert.equal(detailed_merge_status, 'mergeable');
  await settle();
  const said = { start_commit_sha: start, base_commit_sha: start, state: 'collected' };
  assert.deepEqual(await listVersions(mr), [
    { head_commit_sha: mr.sha, ...said, real_size: '1' },
    { head_commit_sha: head, ...said, real_size: '3' },
  ]);
});

test('each of several quick pushes is a version with a summary', async () => {
  const mr = await newMergeRequest(project);
  for (const name of ['second', 'third']) await project.commit({ [name]: 'x' }, { branch: mr.source_branch });
  await settle();
  const told = (await listVersions(mr)).map(({ state, real_size }) => [state, real_size]);
  assert.deepEqual(
    told,
    ['1', '2', '3'].map((size) => ['collected', size]),
  );
});

test('checks all open merge requests after a push, any number of them', async () => {
  const place = await newProject({ readme: true });
  const head = await place.commit({ 'a.txt': 'x' }, { branch: 'first' });
  const names = Array.from({ length: 201 }, (_, index) => `many-${index}`);
  await insertMergeRequests(place, names, head);
  await place.commit({ 'b.txt': 'x' });
  await settle();
  const rows = reader.selectFrom('merge_requests').select('merge_check').distinct().where('project_id', '=', place.id);
  assert.deepEqual(await rows.execute(), [{ merge_check: 'no_commits' }]);
});

test('a check that exceeds the limits does not stop the check of older ones', async (t) => {
  const [older, dear] = [await newMergeRequest(project), await newMergeRequest(project)];
  const main = await project.commit({ 'dear.txt': 'x' });
  await project.commit({ 'older.txt': 'x' }, { branch: older.source_branch, parent: main });
  t.mock.property(COMMANDS['merge-tree'], 'timeoutSeconds', 0 as never);
  await settle();
  const checks = [(await findInList(older)).merge_check, (await findInList(dear)).merge_check];
  assert.deepEqual([checks, (await listVersions(dear))[0]?.state], [['ahead', null], 'collected']);
  t.mock.property(COMMANDS['diff-tree'], 'timeoutSeconds', 0 as never);
  await project.commit({ 'dearer.txt': 'x' }, { branch: older.source_branch });
  await settle();
  assert.deepEqual(
    [(await listVersions(older)).at(-1)?.state, (await findInList(older)).merge_check],
    ['overflow', 'ahead'],
  );
});

test('does not miss a push while a merge request is created or reopened', async () => {
  const source_branch = await newBranch(project);
  await expectSuccess(owner.get(project.at));
  let head = '';
  const pushMeanwhile = () =>
    atNextTransaction(here, async (run) => {
      head = await project.commit({ 'meanwhile.txt': `${head}.` }, { branch: source_branch });
      return run();
    });
  pushMeanwhile();
  const mr = await newMergeRequest(project, { source_branch });
  assert.deepEqual([mr.sha, mr.diff_refs.head_sha], [head, head]);
  await expectSuccess(owner.put(mr.at, { state_event: 'close' }));
  await project.commit({ 'closed.txt': 'x' }, { branch: source_branch });
  assert.equal((await getMergeRequest(mr)).sha, head);
  pushMeanwhile();
  assert.equal((await expectSuccess(owner.put(mr.at, { state_event: 'reopen' }))).body.sha, head);
});

test('updates the merge status in lists after either branch has moved', async () => {
  const mr = await newMergeRequest(project);
  assert.equal((await findInList(mr)).merge_status, 'unchecked');
  await settle();
  assert.deepEqual((await findInList(mr)).merge_check, 'ahead');
  await project.commit({ [`${mr.source_branch}.txt`]: 'ours' });
  assert.deepEqual((await findInList(mr)).merge_status, 'unchecked');
  const { merge_status, has_conflicts, detailed_merge_status } = await getMergeRequest(mr);
  assert.deepEqual([merge_status, has_conflicts, detailed_merge_status], ['cannot_be_merged', true, 'conflict']);
  await settle();
  const { merge_status: status, merge_check } = await findInList(mr);
  assert.deepEqual([status, merge_check], ['cannot_be_merged', 'conflict']);
});

test('stays open without its source branch and cannot be merged until it exists again', async () => {
  const mr = await newMergeRequest(project);
  await expectSuccess(owner.delete(`${project.repository}/branches/${mr.source_branch}`));
  const { state, sha, detailed_merge_status, changes_count } = await getMergeRequest(mr);
  assert.deepEqual([state, sha, detailed_merge_status, changes_count], ['opened', mr.sha, 'commits_status', '1']);
  assert.equal((await owner.put(`${mr.at}/merge`)).status, 405);
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: mr.source_branch, ref: mr.sha }));
  assert.equal((await getMergeRequest(mr)).detailed_merge_status, 'mergeable');
});

test('the head ref survives the source branch and is deleted with the merge request', async () => {
  const mr = await newMergeRequest(project);
  const kept = async () => {
    await runJobs();
    const ref = encodeURIComponent(`refs/merge-requests/${mr.iid}/head`);
    return (await owner.get(`${project.repository}/commits/${ref}`)).body.id;
  };
  assert.equal(await kept(), mr.sha);
  const head = await project.commit({ 'kept.txt': 'x' }, { branch: mr.source_branch });
  assert.equal(await kept(), head);
  await expectSuccess(owner.delete(`${project.repository}/branches/${mr.source_branch}`));
  assert.equal(await kept(), head);
  await expectSuccess(owner.delete(mr.at));
  assert.equal(await kept(), undefined);
});

test('cannot be merged without commits, without a target branch, or with unrelated histories', async () => {
  const branch = await newBranch(project);
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: `${branch}-same`, ref: branch }));
  const same = await newMergeRequest(project, { source_branch: `${branch}-same`, target_branch: branch });
  assert.deepEqual(
    [(await getMergeRequest(same)).detailed_merge_status, (await getMergeRequest(same)).changes_count],
    ['commits_status', '0'],
  );
  const other = await newMergeRequest(project, { target_branch: branch });
  await expectSuccess(owner.delete(`${project.repository}/branches/${branch}`));
  for (const mr of [same, other]) {
    assert.equal((await getMergeRequest(mr)).detailed_merge_status, 'commits_status');
    assert.equal((await owner.put(`${mr.at}/merge`)).status, 405);
  }
  await project.commit({ 'island.txt': 'x' }, { branch: `${branch}-island`, parent: null });
  const island = await newMergeRequest(project, { source_branch: `${branch}-island` });
  assert.equal((await getMergeRequest(island)).detailed_merge_status, 'conflict');
  assert.equal((await owner.put(`${island.at}/merge`)).status, 422);
});

/** Pushes an existing commit as the owner. */
async function push(place: Project, changes: readonly RefChange[]): Promise<void> {
  const found = (await findProject(reader, ANONYMOUS, String(place.id)))!;
  const moved = await updateRepositoryRefs(services, {
    project: found,
    actor: { server: true, userId: place.owner.id },
    changes,
  });
  assert.equal(moved, undefined);
}

test('marks merge requests as merged that were merged by a push, fast-forward or with a merge commit', async () => {
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
  const states = await Promise.all(
    [merged, taken, idle].map(async (mr) => (await expectSuccess(place.owner.get(mr.at))).body),
  );
  const shown = states.map((mr) => [mr.state, mr.merge_commit_sha, mr.merged_by?.id, mr.diff_refs.base_sha]);
  assert.deepEqual(shown, [
    ['merged', newId, place.owner.id, oldId],
    ['merged', taken.sha, place.owner.id, oldId],
    ['opened', null, undefined, oldId],
  ]);
  assert.equal((await place.owner.get(`${merged.at}/diffs`)).body.length, 1);
});

test('does not mark a merge request whose target has changed since the push', async () => {
  const mr = await newMergeRequest(project);
  const by = await loadActor(reader, project.owner.id);
  const start = mr.diff_refs.start_sha;
  const commits = { newId: mr.sha, mergeCommit: mr.sha, squashCommit: null, base: start, start };
  const whose = {
    mergeRequestId: mr.id,
    userId: project.owner.id,
    requiredHead: mr.sha,
    shouldRemoveSourceBranch: null,
  };
  const mark = (ref: string) => services.runUnitOfWork(by, (uow) => markMerged(uow, { ...whose, ...commits, ref }));
  await mark('refs/heads/elsewhere');
  assert.deepEqual([(await getMergeRequest(mr)).state, (await getMergeRequest(mr)).target_branch], ['opened', 'main']);
  await mark('refs/heads/main');
  assert.equal((await getMergeRequest(mr)).state, 'merged');
});

test('a push of many branches moves the heads of all their merge requests', async () => {
  const place = await newProject({ readme: true });
  const head = await place.commit({ 'a.txt': 'x' }, { branch: 'first' });
  const next = await place.commit({ 'a.txt': 'y' }, { branch: 'first' });
  const names = Array.from({ length: 450 }, (_, index) => `many-${index}`);
  const all = (oldId: string, newId: string) => names.map((name) => ({ ref: `refs/heads/${name}`, oldId, newId }));
  await push(place, all(ZERO_ID, head));
  const one = await insertMergeRequests(place, names, head);
  await push(place, all(head, next));
  const rows = reader.selectFrom('merge_requests').select('head_sha').distinct().where('project_id', '=', place.id);
  assert.deepEqual(await rows.execute(), [{ head_sha: next }]);
  assert.equal((await listVersions({ id: one })).length, 1);
});

/** Inserts merge requests from these branches into main and returns the id of one. */
async function insertMergeRequests(place: Project, names: readonly string[], head_sha: string): Promise<number> {
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
