import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { createGroupWithCertificates, generateSshKey } from './fixtures.testing.ts';

const here = await world();
const FLAG = '/features/ssh_certificates_rest_endpoints';
const NO_ROUTE = { message: '404 Not Found' };

/** Returns the responses to list, create, and delete of a missing certificate. */
async function getResponses(caller: Caller, list: string) {
  const answers = [
    await caller.get(list),
    await caller.post(list, { title: 'CA', key: 'no key' }),
    await caller.delete(`${list}/7`),
  ];
  return answers.map(({ status, body }) => [status, body]);
}

const thrice = (status: number, body: unknown) => Array.from({ length: 3 }, () => [status, body]);

test('only Owners and administrators have access; callers who cannot see the group get 404', async () => {
  const group = await createGroupWithCertificates(here);
  for (const role of ['developer', 'maintainer'] as const) {
    assert.deepEqual(
      await getResponses(await group.addMember(role), group.list),
      thrice(403, { message: '403 Forbidden' }),
      role,
    );
  }
  assert.deepEqual(await getResponses(await here.user(), group.list), thrice(404, { message: '404 Group Not Found' }));
  assert.deepEqual(await getResponses(here.anonymous, group.list), thrice(401, { message: '401 Unauthorized' }));
  const allowed = [
    [200, []],
    [422, { message: 'Validation failed: Invalid key' }],
    [404, { message: 'SSH Certificate not found' }],
  ];
  assert.deepEqual(await getResponses(group.owner, group.list), allowed);
  assert.deepEqual(await getResponses(here.root, group.list), allowed);
});

test('the feature flag is off by default and applies to one group', async () => {
  const [group, other] = [await here.newGroup(), await createGroupWithCertificates(here)];
  const list = `${encodeURIComponent(group.full_path)}/ssh_certificates`;
  assert.deepEqual(await getResponses(group.owner, `/groups/${list}`), thrice(404, NO_ROUTE));
  assert.equal((await other.owner.get(other.list)).status, 200);
  assert.equal(
    (await (await group.addMember('maintainer')).get(`/groups/${list}`)).status,
    403,
    'the role is asked first',
  );
  await here.root.post(FLAG, { value: true, group: group.full_path });
  assert.equal((await group.owner.get(`/groups/${list}`)).status, 200);
  await here.root.post(FLAG, { value: false, group: group.full_path });
  assert.deepEqual(await getResponses(group.owner, `/groups/${list}`), thrice(404, NO_ROUTE));
});

test('returns 403 for a subgroup, after the check of the feature flag', async () => {
  const { owner, ...group } = await here.newGroup();
  const low = await here.newGroup({ in: { ...group, owner } });
  const list = `${low.at}/ssh_certificates`;
  assert.deepEqual(await getResponses(owner, list), thrice(404, NO_ROUTE));
  await here.root.post(FLAG, { value: true, group: low.full_path });
  assert.deepEqual(await getResponses(owner, list), thrice(403, { message: '403 Forbidden - Group' }));
});

test('returns parameter errors before the group is loaded', async () => {
  const stranger = await here.user();
  const { body } = await stranger.post('/groups/nobody-has-this/ssh_certificates');
  assert.deepEqual(body, { error: 'title is missing, key is missing' });
  const response = await stranger.delete('/groups/nobody-has-this/ssh_certificates/x');
  assert.deepEqual([response.status, response.body], [400, { error: 'certificate_id is invalid' }]);
});

test('returns 404 on the free tier', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const group = await createGroupWithCertificates(free);
  assert.deepEqual(await getResponses(group.owner, group.list), thrice(404, NO_ROUTE));
});

test('lists certificates in pages, oldest first', async () => {
  const group = await createGroupWithCertificates(here);
  for (const title of ['b', 'a', 'c']) await group.owner.post(group.list, { title, key: generateSshKey() });
  const [first, second] = [1, 2].map((page) => group.owner.get(group.list, { page, per_page: 2 }));
  const titles = async (answer: typeof first) => (await answer)!.body.map(({ title }: { title: string }) => title);
  assert.deepEqual([await titles(first), await titles(second)], [['b', 'a'], ['c']]);
  assert.equal((await first)!.headers['x-total'], '3');
});
