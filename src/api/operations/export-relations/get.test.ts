import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns an empty list to callers who may export', async () => {
  const { newGroup, newProject, user, anonymous } = await world();
  const group = await newGroup({ with: ['maintainer'] });
  const project = await newProject({ in: group, with: ['maintainer', 'developer'] });
  const stranger = await user();
  for (const [parent, may, mayNot, missing] of [
    [group, group.owner, group.maintainer, '404 Group Not Found'],
    [project, project.maintainer, project.developer, '404 Project Not Found'],
  ] as const) {
    const path = `${parent.at}/export_relations/status`;
    const { status, body } = await may.get(path);
    assert.deepEqual([status, body], [200, []]);
    const relation = await may.get(path, { relation: 'labels' });
    assert.deepEqual([relation.status, relation.body], [404, { message: 'Export not found' }]);
    assert.equal((await mayNot.get(path)).status, 403);
    assert.deepEqual((await stranger.get(path)).body, { message: missing });
    assert.equal((await anonymous.get(path)).status, 401);
  }
});
