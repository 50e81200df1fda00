import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getViolatedUniqueIndex } from '#database/constraint-violations.ts';
import { getNamespacePath, moveProjectRoute } from '#domain/namespaces/routes.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// `<path>.wiki.git` is the wiki of the group or project at the path: a project with that path would receive its pushes.

const { newGroup, newProject, server } = await world();
const TAKEN = [400, { message: { path: ['has already been taken'] } }];

test("rejects a project with the path of another one's wiki, in either order", async () => {
  const group = await newGroup();
  const { owner } = group;
  const child = await newGroup({ owner, in: group });
  const make = async (path: string) => {
    const { status, body } = await owner.post('/projects', { name: path, path, namespace_id: group.id });
    return [status, status === 400 ? body : null];
  };
  for (const path of ['foo', 'bar.wiki', 'alone.wiki']) assert.deepEqual(await make(path), [201, null]);
  for (const path of ['foo.wiki', 'FOO.Wiki', 'bar', `${child.path}.wiki`])
    assert.deepEqual(await make(path), TAKEN, path);
  const low = await owner.post('/groups', { name: 'alone', path: 'alone', parent_id: group.id });
  assert.deepEqual([low.status, /has already been taken/.test(low.body.message)], [400, true]);
  assert.deepEqual(await make('foo.wiki.wiki'), [201, null]);
});

test('rejects such a path on rename and transfer', async () => {
  const [group, other] = [await newGroup(), await newGroup()];
  const project = await newProject({ owner: group.owner, in: group, path: 'a', name: 'a' });
  const second = await newProject({ owner: group.owner, in: group, path: 'b', name: 'b' });
  const renamed = await group.owner.put(second.at, { path: 'a.wiki' });
  assert.deepEqual([renamed.status, renamed.body], TAKEN);
  await other.addMember('owner', group.owner);
  const moved = await newProject({ owner: group.owner, in: other, path: 'a.wiki', name: 'w' });
  const refused = await group.owner.put(`${moved.at}/transfer`, { namespace: group.id });
  assert.equal(refused.status, 400);
  assert.match(refused.body.message, /same name or path/);
  await expectSuccess(group.owner.put(project.at, { path: 'c' }));
  await expectSuccess(group.owner.put(`${moved.at}/transfer`, { namespace: group.id }));
});

test('rejects one of two such concurrent requests', async () => {
  const group = await newGroup();
  const ids = [];
  for (const path of ['a', 'b', 'c', 'd']) ids.push((await newProject({ owner: group.owner, in: group, path })).id);
  const { database } = server.services;
  // Like a background job: the engine alone sees no conflict with the rows that were read.
  const move = (id: number, path: string) =>
    database.transaction(
      async (tx) => {
        await moveProjectRoute(tx, id, { full_path: `${group.path}/${path}`, full_name: path });
        // The other request arrives before this one has finished.
        for (let i = 0; i < 20; i++) await getNamespacePath(tx, group.id);
      },
      { isolation: 'read committed' },
    );
  const both = [
    [ids[0]!, 'n', ids[1]!, 'n.wiki'],
    [ids[2]!, 'm.wiki', ids[3]!, 'M'],
  ] as const;
  for (const [one, path, other, beside] of both) {
    const ends = await Promise.allSettled([move(one, path), move(other, beside)]);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], path);
    const lost = ends.find((end) => end.status === 'rejected');
    assert.equal(getViolatedUniqueIndex(lost?.reason), 'routes_by_full_path');
  }
});
