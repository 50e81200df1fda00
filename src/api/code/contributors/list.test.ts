import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('groups authors by email address and counts their commits', async () => {
  const { project, owner } = await world({ project: {} });
  assert.deepEqual((await owner.get(`${project.repository}/contributors`)).body, []);
  const ada = { name: 'Ada', email: 'ada@example.com' };
  await project.commit({ a: '1' }, { author: ada });
  await project.commit({ a: '2' }, { author: ada });
  await project.commit({ a: '3' }, { author: { ...ada, name: 'Ada L.' } });
  await project.commit({ a: '4' }, { author: { name: 'Ben', email: 'ben@example.com' } });
  // A mailmap changes nothing.
  const first = await project.commit({ '.mailmap': 'Other <other@example.com> <ben@example.com>\n' }, { author: ada });
  const entry = (name: string, commits: number) => ({
    name,
    email: `${name.toLowerCase()}@example.com`,
    commits,
    additions: 0,
    deletions: 0,
  });
  const list = async (params: object = {}) =>
    (await owner.get(`${project.repository}/contributors`, { ...params })).body;
  assert.deepEqual(await list(), [entry('Ben', 1), entry('Ada', 4)]);
  assert.deepEqual(await list({ sort: 'desc' }), [entry('Ada', 4), entry('Ben', 1)]);
  assert.deepEqual(await list({ order_by: 'name', per_page: 1 }), [entry('Ada', 4)]);
  assert.deepEqual(await list({ ref: `${first}~2` }), [entry('Ada', 3)]);
  const unknown = await owner.get(`${project.repository}/contributors`, { ref: 'nowhere' });
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Not Found' }]);
});
