import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeObject } from '#git/objects/loose-objects.ts';
import { world } from '#test/support/world.ts';
import { compareVersions } from './list.ts';

test('lists an exact match first when searching', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.repository}/tags`;
  for (const tag_name of ['a-v1', 'v1', 'v1.1', 'z-V1']) await owner.post(url, { tag_name, ref: 'main' });
  const found = async (search: string, params: object = { order_by: 'name', sort: 'asc' }) =>
    (await owner.get(url, { search, ...params })).body.map((tag: { name: string }) => tag.name);
  assert.deepEqual(await found('V1'), ['v1', 'a-v1', 'v1.1', 'z-V1']);
  assert.deepEqual(await found('v1', {}), ['v1', 'z-V1', 'v1.1', 'a-v1']);
  assert.deepEqual(await found('v1', { per_page: 1, page: 2 }), ['z-V1']);
  assert.deepEqual(await found('v1$'), ['a-v1', 'v1', 'z-V1']);
  assert.deepEqual(await found('^v*1'), ['v1', 'v1.1']);
  assert.deepEqual(await found('nothing'), []);
});

test('lists a tag of a tag with its commit, as for a single tag', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.repository}/tags`;
  await owner.post(url, { tag_name: 'inner', ref: 'main', message: 'Inner' });
  const { body: outer } = await owner.post(url, { tag_name: 'outer', ref: 'inner', message: 'Outer' });
  assert.equal(outer.commit.title, 'Initial commit');
  const listed = await owner.get(url, { search: 'outer' });
  assert.deepEqual(listed.body, [outer]);
  assert.deepEqual((await owner.get(`${url}/outer`)).body, outer);
});

test('compares versions numerically, with pre-releases before releases', () => {
  const sorted = ['v2', 'v1.10', 'v1.9', 'v1.10-rc2', 'v1.10-rc1'].toSorted(compareVersions);
  assert.deepEqual(sorted, ['v1.9', 'v1.10-rc1', 'v1.10-rc2', 'v1.10', 'v2']);
});

test('lists a tag whose message consists of many line ends', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const { id } = (await owner.get(`${project.repository}/commits/main`)).body;
  const content = `object ${id}\ntype commit\ntag v1\ntagger A <a@example.com> 0 +0000\n\nOne${'\n'.repeat(900_000)}.\n`;
  const tag = await project.store((git, repository) => writeObject(git, repository, 'tag', Buffer.from(content)));
  await project.point('refs/tags/v1', tag);
  const listed = await owner.get(`${project.repository}/tags`);
  assert.deepEqual([listed.status, listed.body[0].message.length], [200, 900_004]);
});
