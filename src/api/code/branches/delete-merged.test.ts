import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';

const { server, runJobs, newProject } = await world();

const merged = ['m1', 'm2', 'm3', 'm4', 'm5'];

/** A repository with merged branches, one of them protected, and one unmerged branch. */
async function setUp(): Promise<Project> {
  const project = await newProject();
  const { owner, id, repository, commit } = project;
  await commit({ 'a.txt': 'one' });
  for (const branch of [...merged, 'stable/1', 'draft'])
    await owner.post(`${repository}/branches`, { branch, ref: 'main' });
  await owner.post(`/projects/${id}/protected_branches`, { name: 'stable/*', push_access_level: 30 });
  await commit({ 'a.txt': 'two' });
  await commit({ 'b.txt': 'b' }, { branch: 'draft' });
  return project;
}

const removals = (projectId: number) =>
  server.services.database.reader
    .selectFrom('activity_events')
    .select(['author_id', 'ref', 'commit_count', 'commit_to', 'ref_count'])
    .where('project_id', '=', projectId)
    .where('push_action', '=', 'removed')
    .orderBy('ref')
    .execute();

async function branches(owner: Caller, repository: string): Promise<string[]> {
  return (await owner.get(`${repository}/branches`)).body.map(({ name }: { name: string }) => name);
}

const createBranch = async (caller: Caller, url: string, branch: string, ref = 'main') => {
  const answer = await caller.post(`${url}/branches`, { branch, ref });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);

const commitOn = (caller: Caller, url: string, branch: string, path: string) =>
  caller.post(`${url}/files/${path}`, { branch, content: path, commit_message: path });

test('records an event of the caller for each deleted merged branch', async () => {
  const { owner, id, repository, addMember: add } = await setUp();
  const developer = await add('developer');
  for (const _time of ['first', 'again']) {
    const accepted = await developer.delete(`${repository}/merged_branches`);
    assert.deepEqual([accepted.status, accepted.body], [202, { message: '202 Accepted' }]);
    await runJobs();
    assert.deepEqual(await branches(owner, repository), ['draft', 'main', 'stable/1']);
  }
  const expected = merged.map((ref) => ({
    author_id: developer.id,
    ref,
    commit_count: 0,
    commit_to: null,
    ref_count: null,
  }));
  assert.deepEqual(await removals(id), expected);
});

test('keeps the source and target branches of open merge requests', async () => {
  const { owner, at, repository, commit } = await setUp();
  const open = async (source_branch: string, target_branch: string) => {
    const { status, text, body } = await owner.post(`${at}/merge_requests`, {
      source_branch,
      target_branch,
      title: 'New',
    });
    assert.equal(status, 201, text);
    return body.iid as number;
  };
  await open('draft', 'm1');
  await open('m2', 'main');
  const closed = await open('m3', 'main');
  assert.equal((await owner.put(`${at}/merge_requests/${closed}`, { state_event: 'close' })).status, 200);
  await commit({ 'c.txt': 'c' });
  assert.equal((await owner.delete(`${repository}/merged_branches`)).status, 202);
  await runJobs();
  assert.deepEqual(await branches(owner, repository), ['draft', 'm1', 'm2', 'main', 'stable/1']);
});

test('accepts the request for a read-only repository and keeps its branches', async () => {
  const { root } = await world();
  const { owner, id, repository } = await setUp();
  await root.put(`/projects/${id}`, { repository_read_only: true });
  assert.equal((await owner.delete(`${repository}/merged_branches`)).status, 202);
  await runJobs();
  assert.equal((await branches(owner, repository)).length, merged.length + 3);
  assert.deepEqual(await removals(id), []);
});

test('deletes nothing if the caller has lost access', async () => {
  const { id, at, owner, repository, addMember: add } = await setUp();
  const developer = await add('developer');
  assert.equal((await developer.delete(`${repository}/merged_branches`)).status, 202);
  assert.equal((await owner.put(`${at}/members/${developer.id}`, { access_level: 20 })).status, 200);
  await runJobs();
  assert.deepEqual(await removals(id), []);
});

test('treats only branches behind the default branch as merged', async () => {
  const { project, owner, runJobs } = await world({ project: { readme: true } });
  await createBranch(owner, project.repository, 'behind');
  await commitOn(owner, project.repository, 'main', 'a.txt');
  await createBranch(owner, project.repository, 'copy');
  await createBranch(owner, project.repository, 'ahead');
  await commitOn(owner, project.repository, 'ahead', 'b.txt');
  const { body } = await owner.get(`${project.repository}/branches`);
  const merged = Object.fromEntries(
    body.map((branch: { name: string; merged: boolean }) => [branch.name, branch.merged]),
  );
  assert.deepEqual(merged, { ahead: false, behind: true, copy: false, main: false });
  const accepted = await owner.delete(`${project.repository}/merged_branches`);
  assert.deepEqual([accepted.status, accepted.body], [202, { message: '202 Accepted' }]);
  await runJobs();
  assert.deepEqual(names(await owner.get(`${project.repository}/branches`)), ['ahead', 'copy', 'main']);
  const moved = await owner.put(project.at, { default_branch: 'ahead' });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await owner.get(`${project.repository}/branches/copy`)).body.merged, true);
  const unknown = await owner.put(project.at, { default_branch: 'nothing' });
  assert.deepEqual(unknown.body, { message: { base: ["Could not change HEAD: branch 'nothing' does not exist"] } });
});
