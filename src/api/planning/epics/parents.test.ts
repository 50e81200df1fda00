import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// Child epics (contract/planning.md §3.9).

const { group, owner, planner, user, newGroup } = await world({ group: { with: ['planner'] } });
const epics = `${group.at}/epics`;
const createEpic = async (params = {}) => (await expectSuccess(owner.post(epics, { title: 'Big', ...params }))).body;
const updateEpic = (iid: number, parent_id: unknown) => planner.put(`${epics}/${iid}`, { parent_id });
const refusal = (why: string) => ({ message: { parent: [`This epic cannot be added. ${why}`] } });

/** Creates a chain of epics, each a child of the one before it. */
async function createChain(length: number) {
  const all = [await createEpic()];
  while (all.length < length) all.push(await createEpic({ parent_id: all.at(-1).id }));
  return all;
}

test('sets, shows and clears the parent of an epic', async () => {
  const [parent, child] = [await createEpic(), await createEpic()];
  const moved = (await expectSuccess(updateEpic(child.iid, parent.id))).body;
  assert.deepEqual(
    [moved.parent_id, moved.parent_iid, moved._links.parent],
    [parent.id, parent.iid, parent._links.self],
  );
  assert.equal((await expectSuccess(updateEpic(child.iid, null))).body.parent_id, null);
  await expectSuccess(updateEpic(child.iid, parent.id));
  await expectSuccess(owner.delete(`${epics}/${parent.iid}`));
  assert.equal((await owner.get(`${epics}/${child.iid}`)).body.parent_id, null);
});

test('rejects cycles', async () => {
  const [top, middle, low] = await createChain(3);
  const itself = await updateEpic(top.iid, top.id);
  assert.deepEqual([itself.status, itself.body], [400, refusal('An epic cannot be added to itself.')]);
  for (const { id } of [middle, low]) {
    assert.deepEqual((await updateEpic(top.iid, id)).body, refusal('It is already an ancestor of the parent epic.'));
  }
});

test('of two concurrent updates that make a cycle one succeeds', async () => {
  const [one, other] = [await createEpic(), await createEpic()];
  const both = await Promise.all([updateEpic(one.iid, other.id), updateEpic(other.iid, one.id)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
});

test('allows at most seven levels', async () => {
  const deep = refusal('One or more epics would exceed the maximum depth (7) from its most distant ancestor.');
  const all = await createChain(7);
  const eighth = await owner.post(epics, { title: 'T', parent_id: all[6].id });
  assert.deepEqual([eighth.status, eighth.body], [400, deep]);
  const [top] = await createChain(3);
  assert.deepEqual((await updateEpic(top.iid, all[4].id)).body, deep);
  assert.equal((await updateEpic(top.iid, all[3].id)).status, 200);
});

test('a parent may be in any visible group; answers 404 for parents that the caller may not read', async () => {
  const elsewhere = await newGroup({ owner, visibility: 'public' });
  const at = `${elsewhere.at}/epics`;
  const open = (await expectSuccess(owner.post(at, { title: 'T' }))).body;
  const hidden = (await expectSuccess(owner.post(at, { title: 'T', confidential: true }))).body;
  const foreign = await newGroup({ owner: await user() });
  const unseen = (await expectSuccess(foreign.owner.post(`${foreign.at}/epics`, { title: 'T' }))).body;
  const { iid } = await createEpic({ confidential: true });
  for (const id of [987_654, 0, hidden.id, unseen.id]) {
    const refused = await updateEpic(iid, id);
    assert.deepEqual([refused.status, refused.body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await updateEpic(iid, open.id)).status, 200);
});

test('hides a parent that the caller may not read, and keeps it on update', async () => {
  const [parent, child] = [await createEpic({ confidential: true }), await createEpic({ confidential: true })];
  await expectSuccess(updateEpic(child.iid, parent.id));
  const below = await newGroup({ in: group, with: ['planner'] });
  const { body } = await expectSuccess(
    owner.post(`${below.at}/epics`, { title: 'T', confidential: true, parent_id: parent.id }),
  );
  const at = `${below.at}/epics/${body.iid}`;
  const inside = await user();
  await expectSuccess(owner.post(`${below.at}/members`, { user_id: inside.id, access_level: 15 }));
  const seen = (await expectSuccess(inside.get(at))).body;
  assert.deepEqual([seen.parent_id, seen.parent_iid, seen._links.parent], [null, null, null]);
  assert.equal((await expectSuccess(inside.get(`${below.at}/epics`))).body[0].parent_iid, null);
  assert.equal((await expectSuccess(inside.put(at, { title: 'U', parent_id: parent.id }))).body.parent_id, null);
  assert.equal((await owner.get(at)).body.parent_id, parent.id);
});
