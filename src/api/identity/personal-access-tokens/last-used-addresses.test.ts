import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const here = await world({ env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' }, project: {} });
const { root, user, clock, project, owner, withToken } = here;

const ORDER = { name: 'ci', scopes: ['api'], expires_at: '2026-12-01' };

/** Where the token says that it was used from, when it is used from there. */
const from = async (caller: Caller, address: string) =>
  (await caller.get('/personal_access_tokens/self', {}, { 'X-Forwarded-For': address })).body.last_used_ips;

/** A token that is not used yet, and its user with it. */
async function issued(of: Caller) {
  const { body } = await root.post(`/users/${of.id}/personal_access_tokens`, ORDER);
  return { ...body, caller: withToken(of, body.token) };
}

test('returns the addresses of last uses in the list, by id, and for the token of the request', async () => {
  const mira = await user();
  const { id, caller } = await issued(mira);
  await caller.get('/user', {}, { 'X-Forwarded-For': '192.0.2.1' });
  const list = (await mira.get('/personal_access_tokens')).body;
  const listed = list.find((token: { id: number }) => token.id === id);
  assert.deepEqual(listed.last_used_ips, ['192.0.2.1']);
  assert.deepEqual((await root.get(`/personal_access_tokens/${id}`)).body.last_used_ips, ['192.0.2.1']);
  assert.deepEqual(await from(caller, '192.0.2.1'), ['192.0.2.1']);
});

test('omits the addresses from all other responses', async () => {
  const mira = await user();
  const { id, ...personal } = await issued(mira);
  const impersonations = `/users/${mira.id}/impersonation_tokens`;
  const impersonation = (await root.post(impersonations, ORDER)).body;
  const bots = `${project.at}/access_tokens`;
  const bot = (await owner.post(bots, ORDER)).body;
  const answers = [
    personal,
    impersonation,
    bot,
    (await root.get(impersonations)).body[0],
    (await root.get(`${impersonations}/${impersonation.id}`)).body,
    (await owner.get(bots)).body[0],
    (await owner.get(`${bots}/${bot.id}`)).body,
    (await owner.post(`${bots}/${bot.id}/rotate`)).body,
    (await mira.post('/user/personal_access_tokens', { ...ORDER, scopes: ['self_rotate'] })).body,
    (await mira.post(`/personal_access_tokens/${id}/rotate`)).body,
  ];
  for (const answer of answers) {
    assert.equal(answer.name, 'ci');
    assert.equal('last_used_ips' in answer, false);
  }
});

test('returns the five most recent distinct addresses, newest first', async () => {
  const mira = await user();
  const { caller } = await issued(mira);
  for (const last of [1, 2, 3, 2, 4, 5, 6]) {
    await from(caller, `192.0.2.${last}`);
    clock.advance(600);
  }
  assert.deepEqual(
    await from(caller, '192.0.2.7'),
    [7, 6, 5, 4, 2].map((last) => `192.0.2.${last}`),
  );
});

test('records a new address immediately, and the time of the last use every ten minutes', async () => {
  const mira = await user();
  const { id, caller } = await issued(mira);
  const first = clock.now().toISOString();
  const addresses = [1, 2, 3, 4, 5, 6].map((last) => `192.0.2.${last}`);
  for (const address of addresses) {
    await from(caller, address);
    clock.advance(60);
  }
  const { last_used_ips, last_used_at } = (await root.get(`/personal_access_tokens/${id}`)).body;
  assert.deepEqual(last_used_ips, addresses.slice(1).reverse());
  assert.equal(last_used_at, first);
});
