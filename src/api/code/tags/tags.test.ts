import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';
import { compareVersions } from './list.ts';

test('tags: lightweight, annotated, ordered, refused, deleted', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const url = `${project.repository}/tags`;
  const light = await owner.post(url, { tag_name: 'v1.9', ref: 'main' });
  assert.equal(light.status, 201);
  assert.deepEqual([light.body.message, light.body.created_at], ['', null]);
  assert.equal(light.body.target, light.body.commit.id);
  const annotated = await owner.post(url, { tag_name: 'v1.10', ref: 'main', message: 'Ten' });
  assert.equal(annotated.body.message, 'Ten');
  assert.notEqual(annotated.body.target, annotated.body.commit.id);
  const listed = await owner.get(url, { order_by: 'version', sort: 'asc' });
  assert.deepEqual(
    listed.body.map((tag: { name: string }) => tag.name),
    ['v1.9', 'v1.10'],
  );
  const refused = async (tag_name: string, ref = 'main') => (await owner.post(url, { tag_name, ref })).body.message;
  assert.equal(await refused('a b'), 'Tag name invalid');
  assert.equal(await refused('v1.9'), 'Tag v1.9 already exists');
  assert.equal(await refused('n', 'nothing'), 'Target nothing is invalid');
  assert.equal(await refused('main'), 'You cannot use default branch name to create a tag');
  for (const id of ['a'.repeat(40), 'A'.repeat(40), 'a'.repeat(64)])
    assert.equal(await refused(id), 'You cannot create a tag with a SHA-1 or SHA-256 tag name.');
  assert.equal((await owner.post(url, { tag_name: 'a'.repeat(41), ref: 'main' })).status, 201);
  assert.equal((await owner.delete(`${url}/v1.9`)).status, 204);
  assert.deepEqual((await owner.get(`${url}/v1.9`)).body, { message: '404 Tag Not Found' });
});

test('a search finds tags as it finds branches: the one whose whole name is asked for comes first', async () => {
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

test('versions are compared by their numbers, a pre-release before its release', () => {
  const sorted = ['v2', 'v1.10', 'v1.9', 'v1.10-rc2', 'v1.10-rc1'].toSorted(compareVersions);
  assert.deepEqual(sorted, ['v1.9', 'v1.10-rc1', 'v1.10-rc2', 'v1.10', 'v2']);
});
