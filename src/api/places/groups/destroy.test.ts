import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { newProject, newGroup } = await world();

const day = 24 * 60 * 60;

test('a marked group is destroyed when its days are over, not before', async () => {
  const { root, clock, work } = await world();
  await root.put('/application/settings', { deletion_adjourned_period: 3 });
  const top = await newGroup({ owner: root });
  const low = await newGroup({ owner: root, name: 'low', path: 'low', in: top });
  const project = await newProject({ owner: root, name: 'p', in: low });
  const other = await newGroup({ owner: root, name: 'other' });
  await root.delete(top.at);
  await root.delete(other.at);
  await work();
  clock.advance(2 * day);
  await work();
  assert.equal((await root.get(top.at)).status, 200);
  await root.post(`${other.at}/restore`);
  clock.advance(day);
  await work();
  for (const path of [top.at, low.at, project.at]) {
    assert.equal((await root.get(path)).status, 404, path);
  }
  assert.equal((await root.get(other.at)).status, 200);
});
