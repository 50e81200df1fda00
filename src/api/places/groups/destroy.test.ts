import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const day = 24 * 60 * 60;

test('a marked group is destroyed when its days are over, not before', async () => {
  const { root, name, clock, work } = await world();
  await root.put('/application/settings', { deletion_adjourned_period: 3 });
  const top = (await root.post('/groups', { name: 'top', path: name('top') })).body;
  const low = (await root.post('/groups', { name: 'low', path: 'low', parent_id: top.id })).body;
  const project = (await root.post('/projects', { name: 'p', namespace_id: low.id })).body;
  const other = (await root.post('/groups', { name: 'other', path: name('other') })).body;
  await root.delete(`/groups/${top.id}`);
  await root.delete(`/groups/${other.id}`);
  await work();
  clock.advance(2 * day);
  await work();
  assert.equal((await root.get(`/groups/${top.id}`)).status, 200);
  await root.post(`/groups/${other.id}/restore`);
  clock.advance(day);
  await work();
  for (const path of [`/groups/${top.id}`, `/groups/${low.id}`, `/projects/${project.id}`]) {
    assert.equal((await root.get(path)).status, 404, path);
  }
  assert.equal((await root.get(`/groups/${other.id}`)).status, 200);
});
