import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { allocateIid, reserveIid } from './iids.ts';

test('each kind has its own counter in each project and group', async () => {
  const { project, newProject, newGroup, server } = await world({ project: {} });
  const [other, group] = [await newProject(), await newGroup()];
  const given = await server.services.database.transaction(async (tx) => [
    await allocateIid(tx, { projectId: project.id }, 'issue'),
    await allocateIid(tx, { projectId: project.id }, 'issue'),
    await allocateIid(tx, { projectId: project.id }, 'milestone'),
    await allocateIid(tx, { projectId: other.id }, 'issue'),
    await allocateIid(tx, { groupId: group.id }, 'milestone'),
    await allocateIid(tx, { groupId: group.id }, 'milestone'),
  ]);
  assert.deepEqual(given, [1, 2, 1, 1, 1, 2]);
});

test('later iids are larger than a chosen one, and a smaller one changes nothing', async () => {
  const { project, server } = await world({ project: {} });
  const of = { projectId: project.id };
  const given = await server.services.database.transaction(async (tx) => {
    await reserveIid(tx, of, 'issue', 7);
    await reserveIid(tx, of, 'issue', 3);
    return allocateIid(tx, of, 'issue');
  });
  assert.equal(given, 8);
});

test('fifty concurrent requests get fifty iids without gaps', async () => {
  const { project, server } = await world({ project: {} });
  const turn = `iids of project ${project.id}`;
  const given = await Promise.all(
    Array.from({ length: 50 }, () =>
      server.services.database.transaction((tx) => allocateIid(tx, { projectId: project.id }, 'issue'), { lock: turn }),
    ),
  );
  assert.deepEqual(
    given.sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
});
