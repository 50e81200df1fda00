import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

test('archiving is refused when it is so already', async () => {
  const here = await world();
  const ada = await here.user();
  const top = await here.newGroup({ owner: ada });
  assert.equal((await ada.post(`${top.at}/unarchive`)).status, 422);
  const archived = await ada.post(`${top.at}/archive`);
  assert.deepEqual([archived.status, archived.body.archived], [200, true]);
  assert.deepEqual((await ada.post(`${top.at}/archive`)).status, 422);
  assert.equal((await ada.post(`${top.at}/unarchive`)).body.archived, false);
});
