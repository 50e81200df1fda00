import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { server, root } = await world();

/** The pushes that the API's writes have left, the oldest first. */
const pushes = (projectId: number) =>
  server.rooms.database.reader
    .selectFrom('activity_events')
    .select([
      'author_id',
      'action_name',
      'push_action',
      'ref',
      'commit_from',
      'commit_to',
      'commit_count',
      'commit_title',
    ])
    .where('project_id', '=', projectId)
    .where('action', '=', 'pushed')
    .orderBy('id')
    .execute();

test('branches that are made, moved and removed leave one push each, and what is refused none', async () => {
  const { project, owner } = await world({ project: {} });
  const first = await project.commit({ a: 'a' });
  const before = (await pushes(project.id)).length;
  await owner.post(`${project.repository}/branches`, { branch: 'work', ref: 'main' });
  const write = { branch: 'work', content: 'b', commit_message: `${'t'.repeat(80)}\n\nBody` };
  assert.equal((await owner.post(`${project.repository}/files/b`, write)).status, 201);
  assert.equal((await owner.post(`${project.repository}/files/b`, write)).status, 400);
  const tip = (await owner.get(`${project.repository}/branches/work`)).body.commit.id;
  assert.equal((await owner.delete(`${project.repository}/branches/work`)).status, 204);
  assert.equal((await owner.delete(`${project.repository}/branches/work`)).status, 404);
  const push = { author_id: owner.id, ref: 'work', commit_count: 0, commit_title: null };
  const title = `${'t'.repeat(67)}...`;
  assert.deepEqual((await pushes(project.id)).slice(before), [
    { ...push, action_name: 'pushed new', push_action: 'created', commit_from: null, commit_to: first },
    {
      ...push,
      action_name: 'pushed to',
      push_action: 'pushed',
      commit_from: first,
      commit_to: tip,
      commit_count: 1,
      commit_title: title,
    },
    { ...push, action_name: 'deleted', push_action: 'removed', commit_from: tip, commit_to: null },
  ]);
});

test('of several who delete one branch at once one has done it', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'a' });
  await owner.post(`${project.repository}/branches`, { branch: 'b', ref: 'main' });
  const answers = await Promise.all([1, 2, 3].map(() => owner.delete(`${project.repository}/branches/b`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
});

test('who cannot write hears so before whether there is such a branch', async () => {
  const { project, reporter } = await world({ project: { visibility: 'public', with: ['reporter'] } });
  await project.commit({ a: 'a' });
  for (const path of ['branches/main', 'branches/nothing', 'branches/b*', 'merged_branches']) {
    const answer = await reporter.delete(`${project.repository}/${path}`);
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }], path);
  }
  const answer = await reporter.post(`${project.repository}/branches`, { branch: 'b', ref: 'main' });
  assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
});

test('the date of a branch is its commit’s authored date, in either format; junk is no condition', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'a' }, { at: 1_700_000_000 });
  const remove = async (branch: string, since: string) => {
    await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
    return (await owner.delete(`${project.repository}/branches/${branch}`, {}, { 'If-Unmodified-Since': since }))
      .status;
  };
  assert.equal(await remove('1', 'Tue, 14 Nov 2023 22:13:19 GMT'), 412);
  assert.equal(await remove('2', '2023-11-14T22:13:19Z'), 412);
  assert.equal(await remove('3', 'Tue, 14 Nov 2023 22:13:20 GMT'), 204);
  assert.equal(await remove('4', '2023-11-14T23:13:20+01:00'), 204);
  assert.equal(await remove('5', 'yesterday'), 204);
  const { body } = await owner.get(`${project.repository}/branches`);
  assert.deepEqual(
    body.map(({ name }: { name: string }) => name),
    ['1', '2', 'main'],
  );
});

test('an exact name comes first whatever its case; all but the three operators is literal', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ a: 'a' });
  for (const branch of ['a-rc', 'RC', 'x.rc', 'z+rc'])
    await owner.post(`${project.repository}/branches`, { branch, ref: 'main' });
  const search = async (term: string) =>
    (await owner.get(`${project.repository}/branches`, { search: term })).body.map(
      ({ name }: { name: string }) => name,
    );
  assert.deepEqual(await search('Z+rc'), ['z+rc']);
  assert.deepEqual(await search('rc'), ['RC', 'a-rc', 'x.rc', 'z+rc']);
  assert.deepEqual(await search('A-RC'), ['a-rc']);
  assert.deepEqual(await search('.rc'), ['x.rc']);
  assert.deepEqual(await search('[ax]'), []);
  await owner.post(`${project.repository}/branches`, { branch: 'c', ref: 'main' });
  assert.deepEqual(await search('c'), ['c', 'RC', 'a-rc', 'x.rc', 'z+rc']);
  assert.deepEqual(await search('C'), ['c', 'RC', 'a-rc', 'x.rc', 'z+rc']);
  assert.deepEqual(await search('*c'), ['RC', 'a-rc', 'c', 'x.rc', 'z+rc']);
  const last = await owner.get(`${project.repository}/branches`, { search: 'c', per_page: 1, page: 2 });
  assert.deepEqual([last.body[0].name, last.headers['x-total']], ['RC', '5']);
});

test('a read-only repository says so before it looks at names, starts or rules', async () => {
  const { project, owner, reporter } = await world({ project: { with: ['reporter'] } });
  await project.commit({ a: 'a' });
  await root.put(project.at, { repository_read_only: true });
  const readOnly = { message: 'The repository is temporarily read-only. Please try again later.' };
  for (const [branch, ref] of [
    ['new', 'main'],
    ['bad..name', 'main'],
    ['main', 'main'],
    ['new', 'nothing'],
  ]) {
    const answer = await owner.post(`${project.repository}/branches`, { branch, ref });
    assert.deepEqual([answer.status, answer.body], [400, readOnly], `${branch} at ${ref}`);
  }
  const deleted = await owner.delete(`${project.repository}/branches/main`);
  assert.deepEqual([deleted.status, deleted.body], [400, readOnly]);
  assert.equal((await reporter.post(`${project.repository}/branches`, { branch: 'new', ref: 'main' })).status, 403);
});
