import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

const kinds = (body: { path: string }[]) => body.map(({ path }) => path);

test('lists the personal namespace and the groups of the caller', async () => {
  const { user, root, anonymous } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  const low = await newGroup({ owner: ada, name: 'low', path: 'low', in: top });
  await low.addMember('developer', bob);
  const project = await newProject({ owner: ada, name: 'p' });
  await project.addMember('developer', bob);
  assert.deepEqual(kinds((await bob.get('/namespaces')).body), [bob.username, top.path, 'low']);
  assert.deepEqual(kinds((await bob.get('/namespaces', { owned_only: true })).body), [bob.username]);
  assert.deepEqual(kinds((await ada.get('/namespaces', { owned_only: true })).body), [ada.username, top.path, 'low']);
  assert.deepEqual(kinds((await ada.get('/namespaces', { top_level_only: true })).body), [ada.username, top.path]);
  const everything = kinds((await root.get('/namespaces', { per_page: 100 })).body);
  for (const path of [ada.username, bob.username, top.path, 'low']) assert.ok(everything.includes(path), path);
  assert.equal((await anonymous.get('/namespaces')).status, 401);
});

test('searches names and paths, and full paths on request', async () => {
  const { group: top, owner, name } = await world({ group: {} });
  const low = await newGroup({ in: top, path: name('low') });
  const search = async (params: Record<string, unknown>) => kinds((await owner.get('/namespaces', params)).body);
  assert.deepEqual(await search({ search: top.path }), [top.path]);
  assert.deepEqual(await search({ search: low.path.toUpperCase() }), [low.path]);
  assert.deepEqual(await search({ search: low.full_path }), []);
  assert.deepEqual(await search({ search: low.full_path.toUpperCase(), full_path_search: true }), [low.path]);
  assert.deepEqual(await search({ search: top.path, full_path_search: true }), [top.path, low.path]);
});
