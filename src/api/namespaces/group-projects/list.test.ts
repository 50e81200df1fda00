import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const here = await world();
const { newGroup, newProject, anonymous } = here;

async function ids(caller: Caller, path: string, params: Record<string, unknown>): Promise<number[]> {
  const { status, body, text } = await caller.get(path, params);
  assert.equal(status, 200, text);
  return body.map(({ id }: { id: number }) => id);
}

test('filters by star of the caller and by topics', async () => {
  const group = await newGroup({ visibility: 'public' });
  const a = await newProject({ in: group, visibility: 'public', topics: ['x', 'y'] });
  const b = await newProject({ in: group, visibility: 'public', topics: ['y'] });
  await group.owner.post(`${a.at}/star`);
  const path = `${group.at}/projects`;
  assert.deepEqual(await ids(group.owner, path, { starred: true }), [a.id]);
  assert.deepEqual(await ids(anonymous, path, { starred: true }), []);
  assert.deepEqual(await ids(anonymous, path, { topic: 'y' }), [b.id, a.id]);
  assert.deepEqual(await ids(anonymous, path, { topic: 'x,y' }), [a.id]);
  assert.deepEqual(await ids(anonymous, path, { topic: 'z' }), []);
});

test('orders by stars and by similarity to the search', async () => {
  const group = await newGroup({ visibility: 'public' });
  const word = here.name('similar');
  const exact = await newProject({ in: group, name: word });
  const inside = await newProject({ in: group, name: `not ${word}` });
  const begins = await newProject({ in: group, name: `${word} more` });
  await group.owner.post(`${inside.at}/star`);
  const path = `${group.at}/projects`;
  assert.deepEqual(await ids(group.owner, path, { order_by: 'star_count' }), [inside.id, begins.id, exact.id]);
  assert.deepEqual(await ids(group.owner, path, { order_by: 'similarity', search: word }), [
    exact.id,
    begins.id,
    inside.id,
  ]);
});

test('adds the visible projects of ancestor groups on request', async () => {
  const top = await newGroup({ visibility: 'public' });
  const group = await newGroup({ in: top, visibility: 'public' });
  const sub = await newGroup({ in: group, visibility: 'public' });
  const above = await newProject({ in: top, visibility: 'public' });
  const hidden = await newProject({ in: top });
  const own = await newProject({ in: group, visibility: 'public' });
  const below = await newProject({ in: sub, visibility: 'public' });
  const path = `${group.at}/projects`;
  const order = { order_by: 'id', sort: 'asc' };
  const withAncestors = { ...order, include_ancestor_groups: true };
  assert.deepEqual(await ids(anonymous, path, order), [own.id]);
  assert.deepEqual(await ids(anonymous, path, withAncestors), [above.id, own.id]);
  assert.deepEqual(await ids(top.owner, path, withAncestors), [above.id, hidden.id, own.id]);
  const all = { ...withAncestors, include_subgroups: true };
  assert.deepEqual(await ids(anonymous, path, all), [above.id, own.id, below.id]);
});
