import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, world } from '#test/support/world.ts';

// Epics below epics (contract/planning.md §3.9).

const { group, owner, planner, user, newGroup } = await world({ group: { with: ['planner'] } });
const epics = `${group.at}/epics`;
const make = async (params = {}) => (await done(owner.post(epics, { title: 'Big', ...params }))).body;
const put = (iid: number, parent_id: unknown) => planner.put(`${epics}/${iid}`, { parent_id });
const refusal = (why: string) => ({ message: { parent: [`This epic cannot be added. ${why}`] } });

/** So many epics, each below the one before it. */
async function chain(length: number) {
  const all = [await make()];
  while (all.length < length) all.push(await make({ parent_id: all.at(-1).id }));
  return all;
}

test('an epic is put below another one, shown so, and stands alone again', async () => {
  const [parent, child] = [await make(), await make()];
  const moved = (await done(put(child.iid, parent.id))).body;
  assert.deepEqual(
    [moved.parent_id, moved.parent_iid, moved._links.parent],
    [parent.id, parent.iid, parent._links.self],
  );
  assert.equal((await done(put(child.iid, null))).body.parent_id, null);
  await done(put(child.iid, parent.id));
  await done(owner.delete(`${epics}/${parent.iid}`));
  assert.equal((await owner.get(`${epics}/${child.iid}`)).body.parent_id, null);
});

test('no epic is above itself', async () => {
  const [top, middle, low] = await chain(3);
  const itself = await put(top.iid, top.id);
  assert.deepEqual([itself.status, itself.body], [400, refusal('An epic cannot be added to itself.')]);
  for (const { id } of [middle, low]) {
    assert.deepEqual((await put(top.iid, id)).body, refusal('It is already an ancestor of the parent epic.'));
  }
});

test('of two epics that are put below each other at once one is', async () => {
  const [one, other] = [await make(), await make()];
  const both = await Promise.all([put(one.iid, other.id), put(other.iid, one.id)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
});

test('there are seven levels and no more', async () => {
  const deep = refusal('One or more epics would exceed the maximum depth (7) from its most distant ancestor.');
  const all = await chain(7);
  const eighth = await owner.post(epics, { title: 'T', parent_id: all[6].id });
  assert.deepEqual([eighth.status, eighth.body], [400, deep]);
  const [top] = await chain(3);
  assert.deepEqual((await put(top.iid, all[4].id)).body, deep);
  assert.equal((await put(top.iid, all[3].id)).status, 200);
});

test('a parent may be of any group that is seen; what may not be read is not there', async () => {
  const elsewhere = await newGroup({ owner, visibility: 'public' });
  const at = `${elsewhere.at}/epics`;
  const open = (await done(owner.post(at, { title: 'T' }))).body;
  const hidden = (await done(owner.post(at, { title: 'T', confidential: true }))).body;
  const foreign = await newGroup({ owner: await user() });
  const unseen = (await done(foreign.owner.post(`${foreign.at}/epics`, { title: 'T' }))).body;
  const { iid } = await make({ confidential: true });
  for (const id of [987_654, 0, hidden.id, unseen.id]) {
    const refused = await put(iid, id);
    assert.deepEqual([refused.status, refused.body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await put(iid, open.id)).status, 200);
});

test('who may not read the parent of an epic is not told of it, and may leave it where it is', async () => {
  const [parent, child] = [await make({ confidential: true }), await make({ confidential: true })];
  await done(put(child.iid, parent.id));
  const below = await newGroup({ in: group, with: ['planner'] });
  const { body } = await done(
    owner.post(`${below.at}/epics`, { title: 'T', confidential: true, parent_id: parent.id }),
  );
  const at = `${below.at}/epics/${body.iid}`;
  const inside = await user();
  await done(owner.post(`${below.at}/members`, { user_id: inside.id, access_level: 15 }));
  const seen = (await done(inside.get(at))).body;
  assert.deepEqual([seen.parent_id, seen.parent_iid, seen._links.parent], [null, null, null]);
  assert.equal((await done(inside.get(`${below.at}/epics`))).body[0].parent_iid, null);
  assert.equal((await done(inside.put(at, { title: 'U', parent_id: parent.id }))).body.parent_id, null);
  assert.equal((await owner.get(at)).body.parent_id, parent.id);
});
