import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { groupWithCertificates, newKey } from './fixtures.testing.ts';

const here = await world();
const FLAG = '/features/ssh_certificates_rest_endpoints';
const NO_ROUTE = { message: '404 Not Found' };

/** What somebody is told who lists, adds one and removes one that there is not. */
async function told(caller: Caller, list: string) {
  const answers = [
    await caller.get(list),
    await caller.post(list, { title: 'CA', key: 'no key' }),
    await caller.delete(`${list}/7`),
  ];
  return answers.map(({ status, body }) => [status, body]);
}

const thrice = (status: number, body: unknown) => Array.from({ length: 3 }, () => [status, body]);

test('only Owners and administrators manage them, and who does not see the group is told that it is not there', async () => {
  const group = await groupWithCertificates(here);
  for (const role of ['developer', 'maintainer'] as const) {
    assert.deepEqual(await told(await group.add(role), group.list), thrice(403, { message: '403 Forbidden' }), role);
  }
  assert.deepEqual(await told(await here.user(), group.list), thrice(404, { message: '404 Group Not Found' }));
  assert.deepEqual(await told(here.anonymous, group.list), thrice(401, { message: '401 Unauthorized' }));
  const allowed = [
    [200, []],
    [422, { message: 'Validation failed: Invalid key' }],
    [404, { message: 'SSH Certificate not found' }],
  ];
  assert.deepEqual(await told(group.owner, group.list), allowed);
  assert.deepEqual(await told(here.root, group.list), allowed);
});

test('a group is offered them by the flag of just this group, which is off', async () => {
  const [group, other] = [await here.newGroup(), await groupWithCertificates(here)];
  const list = `${encodeURIComponent(group.full_path)}/ssh_certificates`;
  assert.deepEqual(await told(group.owner, `/groups/${list}`), thrice(404, NO_ROUTE));
  assert.equal((await other.owner.get(other.list)).status, 200);
  assert.equal((await (await group.add('maintainer')).get(`/groups/${list}`)).status, 403, 'the role is asked first');
  await here.root.post(FLAG, { value: true, group: group.full_path });
  assert.equal((await group.owner.get(`/groups/${list}`)).status, 200);
  await here.root.post(FLAG, { value: false, group: group.full_path });
  assert.deepEqual(await told(group.owner, `/groups/${list}`), thrice(404, NO_ROUTE));
});

test('a subgroup has none, which is told behind the flag', async () => {
  const { owner, ...group } = await here.newGroup();
  const low = await here.newGroup({ in: { ...group, owner } });
  const list = `${low.at}/ssh_certificates`;
  assert.deepEqual(await told(owner, list), thrice(404, NO_ROUTE));
  await here.root.post(FLAG, { value: true, group: low.full_path });
  assert.deepEqual(await told(owner, list), thrice(403, { message: '403 Forbidden - Group' }));
});

test('parameters are looked at before the group is', async () => {
  const stranger = await here.user();
  const { body } = await stranger.post('/groups/nobody-has-this/ssh_certificates');
  assert.deepEqual(body, { error: 'title is missing, key is missing' });
  const gone = await stranger.delete('/groups/nobody-has-this/ssh_certificates/x');
  assert.deepEqual([gone.status, gone.body], [400, { error: 'certificate_id is invalid' }]);
});

test('on tier free no group is offered them', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const group = await groupWithCertificates(free);
  assert.deepEqual(await told(group.owner, group.list), thrice(404, NO_ROUTE));
});

test('they are listed in pages, the oldest first', async () => {
  const group = await groupWithCertificates(here);
  for (const title of ['b', 'a', 'c']) await group.owner.post(group.list, { title, key: newKey() });
  const [first, second] = [1, 2].map((page) => group.owner.get(group.list, { page, per_page: 2 }));
  const titles = async (answer: typeof first) => (await answer)!.body.map(({ title }: { title: string }) => title);
  assert.deepEqual([await titles(first), await titles(second)], [['b', 'a'], ['c']]);
  assert.equal((await first)!.headers['x-total'], '3');
});
