import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Group, world } from '#test/support/world.ts';

const { root, newGroup, newProject } = await world();

/** A path of the maximum length that does not compress: the worst case for an index. */
const segment = () => `g${randomBytes(127).toString('hex')}`;

/** Nested groups, outermost first. */
async function createNestedGroups(length: number): Promise<Group[]> {
  const groups: Group[] = [];
  for (let depth = 0; depth < length; depth++)
    groups.push(await newGroup({ owner: root, path: segment(), in: groups.at(-1) }));
  return groups;
}

test('limits full paths so that projects below can be marked for deletion', async () => {
  const deepest = (await createNestedGroups(5)).at(-1);
  const refusal = await root.post('/groups', { name: 'deep', path: segment(), parent_id: deepest?.id });
  assert.equal(refusal.status, 400);
  assert.match(refusal.body.message, /:path=>\["is too long \(maximum is 1500 characters\)"\]/);
  const group = await newGroup({ owner: root, path: 'g'.repeat(220), in: deepest });
  const project = await newProject({ path: segment(), in: group });
  assert.equal((await root.delete(project.at)).status, 202);
  assert.equal((await root.delete(group.at)).status, 202);
});

test('rejects renames and transfers that make paths below too long', async () => {
  const [outer, ...inner] = await createNestedGroups(5);
  const small = await newGroup({ owner: root, path: 'g'.repeat(200), in: inner.at(-1) });
  const short = await newGroup({ owner: root, path: 'short' });
  assert.equal((await root.post(`${outer?.at}/transfer`, { group_id: short.id })).status, 201);
  const long = await newGroup({ owner: root, path: segment() });
  const refusal = await root.post(`${outer?.at}/transfer`, { group_id: long.id });
  assert.equal(refusal.status, 400);
  assert.equal(refusal.body.message, 'Transfer failed: The full path of a group is too long.');
  const renamed = await root.put(short.at, { path: segment() });
  assert.equal(renamed.status, 400);
  assert.deepEqual(renamed.body.message, { path: ['is too long (maximum is 1500 characters)'] });
  assert.match((await root.get(small.at)).body.full_path, /^short\//);
});
