import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createGroupWithCertificates, generateSshKey } from './fixtures.testing.ts';

const here = await world();

/** Creates a group with a certificate, and another group that can add the same key. */
async function createGroups() {
  const [group, other, key] = [
    await createGroupWithCertificates(here),
    await createGroupWithCertificates(here),
    generateSshKey(),
  ];
  const { body } = await expectSuccess(group.owner.post(group.list, { title: 'CA', key }));
  const addSameKey = () => other.owner.post(other.list, { title: 'mine now', key });
  assert.equal((await addSameKey()).status, 422);
  return { group, other, at: `${group.list}/${body.id}`, id: body.id, addSameKey };
}

async function lastAudited(group: { readonly at: string }) {
  const { details } = (await here.root.get(`${group.at}/audit_events`)).body[0];
  return [details.event_name, details.custom_message];
}

test('after the deletion of a certificate its key can be added again', async () => {
  const { group, at, id, addSameKey } = await createGroups();
  const { status, text } = await group.owner.delete(at);
  assert.deepEqual([status, text], [204, '']);
  assert.deepEqual((await group.owner.delete(at)).body, { message: 'SSH Certificate not found' });
  assert.deepEqual(await lastAudited(group), [
    'delete_ssh_certificate',
    `Deleted SSH certificate with id ${id} and title CA`,
  ]);
  assert.equal((await addSameKey()).status, 201);
});

test('returns 404 for a certificate of another group', async () => {
  const { group, other, id } = await createGroups();
  const { status, body } = await other.owner.delete(`${other.list}/${id}`);
  assert.deepEqual([status, body], [404, { message: 'SSH Certificate not found' }]);
  assert.equal((await group.owner.get(group.list)).body.length, 1);
});

test('after the deletion of a group its keys can be added again', async () => {
  const { group, addSameKey } = await createGroups();
  await here.root.put('/application/settings', { deletion_adjourned_period: 1 });
  await expectSuccess(group.owner.delete(group.at));
  await here.runJobs();
  assert.equal((await addSameKey()).status, 422, 'it may be restored');
  here.clock.advance(24 * 60 * 60);
  await here.runJobs();
  assert.equal((await addSameKey()).status, 201);
});

test('a group that becomes a subgroup loses its certificates', async () => {
  const { group, addSameKey } = await createGroups();
  const top = await here.newGroup({ owner: group.owner });
  await expectSuccess(group.owner.post(`${group.at}/transfer`, { group_id: top.id }));
  assert.deepEqual((await lastAudited(group))[0], 'delete_ssh_certificate');
  assert.equal((await addSameKey()).status, 201);
});
