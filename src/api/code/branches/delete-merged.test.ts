import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Project, world } from '../../../../test/world.ts';

const { server, user, work, newProject } = await world();
const merged = ['m1', 'm2', 'm3', 'm4', 'm5'];

/** A repository with branches that are merged, one of them protected, and one that is not. */
async function given(): Promise<Project> {
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
  server.rooms.database.reader
    .selectFrom('activity_events')
    .select(['author_id', 'ref', 'commit_count', 'commit_to', 'ref_count'])
    .where('project_id', '=', projectId)
    .where('push_action', '=', 'removed')
    .orderBy('ref')
    .execute();

async function branches(owner: Caller, repository: string): Promise<string[]> {
  return (await owner.get(`${repository}/branches`)).body.map(({ name }: { name: string }) => name);
}

test('each merged branch that goes has an event of the caller’s, however many they are', async () => {
  const { owner, id, repository } = await given();
  const developer = await user();
  await owner.post(`/projects/${id}/members`, { user_id: developer.id, access_level: 30 });
  for (const _time of ['first', 'again']) {
    const accepted = await developer.delete(`${repository}/merged_branches`);
    assert.deepEqual([accepted.status, accepted.body], [202, { message: '202 Accepted' }]);
    await work();
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

test('a read-only repository is accepted and keeps its merged branches', async () => {
  const { root } = await world();
  const { owner, id, repository } = await given();
  await root.put(`/projects/${id}`, { repository_read_only: true });
  assert.equal((await owner.delete(`${repository}/merged_branches`)).status, 202);
  await work();
  assert.equal((await branches(owner, repository)).length, merged.length + 3);
  assert.deepEqual(await removals(id), []);
});
