import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newGroup } = await world();

test('reports whether a path is taken and suggests a free one', async () => {
  const { user } = await world();
  const [ada, bob] = [await user(), await user()];
  const top = await newGroup({ owner: ada });
  await newGroup({ owner: ada, path: `${top.path}1` });
  await newGroup({ in: top, name: 'low', path: 'low' });
  const requestAs = async (path: string, params = {}, caller = ada) =>
    (await caller.get(`/namespaces/${path}/exists`, params)).body;
  assert.deepEqual(await requestAs(top.path.toUpperCase()), { exists: true, suggests: [`${top.path.toUpperCase()}2`] });
  assert.deepEqual(await requestAs(bob.username), { exists: true, suggests: [`${bob.username}1`] });
  assert.deepEqual(await requestAs('low'), { exists: false, suggests: [] });
  assert.deepEqual(await requestAs('low', { parent_id: top.id }), { exists: true, suggests: ['low1'] });
  assert.deepEqual(await requestAs('low', { parent_id: top.id }, bob), { exists: false, suggests: [] });
});
