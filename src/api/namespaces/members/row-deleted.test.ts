import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atNextTransaction } from '#test/support/interrupted-transactions.ts';
import { world } from '#test/support/world.ts';

const testWorld = await world();
const { root, user, runJobs, server, newGroup } = testWorld;

test('returns the member although it is deleted before the response is written', async () => {
  const [owner, mira] = [await user(), await user()];
  const { id } = await newGroup({ owner });
  const members = `/groups/${id}/members`;
  atNextTransaction(testWorld, async (run) => {
    const done = await run();
    assert.equal((await root.delete(`/users/${mira.id}`)).status, 204);
    await runJobs();
    return done;
  });
  const added = await owner.post(members, { user_id: mira.id, access_level: 20 });
  assert.deepEqual([added.status, added.body.username], [201, mira.username]);
  assert.equal((await owner.get(`${members}/${mira.id}`)).status, 404);
});

/** A project or group that this request destroys. */
async function createMarkedParent(kind: 'project' | 'group') {
  const owner = await user();
  const { id: parent_id } = await newGroup({ owner });
  const inside = { name: 'inside', path: 'inside', parent_id, namespace_id: parent_id };
  const { id } = (await owner.post(`/${kind}s`, inside)).body;
  const at = `/${kind}s/${id}`;
  await owner.delete(at);
  const { path_with_namespace, full_path = path_with_namespace } = (await owner.get(at)).body;
  return { owner, id, at, full_path };
}

test('deletes or rejects a member who is added while the parent is destroyed', async () => {
  for (const kind of ['project', 'group', 'project', 'group'] as const) {
    const { owner, id, at, full_path } = await createMarkedParent(kind);
    const newcomers = await Promise.all(Array.from({ length: 6 }, () => user()));
    const [removed, , ...added] = await Promise.all([
      owner.delete(at, { permanently_remove: true, full_path }),
      runJobs(),
      ...newcomers.map((mira) => owner.post(`${at}/members`, { user_id: mira.id, access_level: 20 })),
    ]);
    assert.equal(removed.status, 202, removed.text);
    for (const { status, body } of added) {
      if (status !== 201)
        assert.deepEqual(body, { message: `404 ${kind === 'project' ? 'Project' : 'Group'} Not Found` });
    }
    await runJobs();
    const rows = server.services.database.reader
      .selectFrom('memberships')
      .select('user_id')
      .where('source_type', '=', kind)
      .where('source_id', '=', id);
    assert.deepEqual(await rows.execute(), []);
  }
});
