import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newGroup, newProject, user, anonymous } = await world();

test('lists no shared projects of a group that the caller can see', async () => {
  const group = await newGroup({ visibility: 'public' });
  await newProject({ in: group, visibility: 'public' });
  for (const caller of [group.owner, anonymous]) {
    const { status, body, headers } = await caller.get(`${group.at}/projects/shared`, { simple: true, search: 'x' });
    assert.deepEqual([status, body, headers['x-total']], [200, [], '0']);
  }
});

test('returns 404 for a group that the caller cannot see', async () => {
  const group = await newGroup({ visibility: 'private' });
  const { status, body } = await (await user()).get(`${group.at}/projects/shared`);
  assert.deepEqual([status, body], [404, { message: '404 Group Not Found' }]);
});
