import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { CALLBACK, INVALID_CLIENT, INVALID_GRANT, oauthFixtures } from './fixtures.testing.ts';

// Codes and what they are exchanged for (contract/conventions.md §10 "OAuth 2.0", RFC 6749 §4.1, RFC 7636).

const here = await world();
const { root, clock } = here;
const { createApplication, requestToken, requestCode, getWithBearer, createSignedInUser } = oauthFixtures(here);

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const exchange = { grant_type: 'authorization_code', redirect_uri: CALLBACK };

test('exchanges a code with PKCE for a pair of tokens that act for the user', async () => {
  const [client, { user: mira, browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const given = await requestCode(visit, client, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  const { status, headers, body } = await requestToken({
    ...exchange,
    client_id,
    client_secret,
    code: given,
    code_verifier: VERIFIER,
  });
  assert.equal(status, 200);
  assert.deepEqual([headers['cache-control'], headers['content-type']], ['no-store', 'application/json']);
  const { access_token, refresh_token, ...rest } = body;
  assert.match(access_token, /^[0-9a-f]{64}$/);
  assert.match(refresh_token, /^[0-9a-f]{64}$/);
  const created_at = Math.floor(clock.now().getTime() / 1000);
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 7200, scope: 'api read_user', created_at });
  assert.equal((await getWithBearer(access_token)).body.id, mira.id);
});

test('grants the requested scopes', async () => {
  const [client, { browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const given = await requestCode(visit, client, { scope: 'read_user' });
  const { body } = await requestToken({ ...exchange, client_id, client_secret, code: given });
  assert.equal(body.scope, 'read_user');
  assert.equal((await getWithBearer(body.access_token)).status, 200);
  assert.equal((await getWithBearer(body.access_token, '/projects')).body.error, 'insufficient_scope');
});

test('accepts a public client by its client_id alone', async () => {
  const [client, { browser: visit }] = [await createApplication({ confidential: false }), await createSignedInUser()];
  const { client_id } = client;
  const order = async () => ({
    ...exchange,
    client_id,
    code: await requestCode(visit, client, { code_challenge: VERIFIER }),
  });
  const withSecret = { ...(await order()), code_verifier: VERIFIER, client_secret: 'gloas-x' };
  assert.deepEqual((await requestToken(withSecret)).body, INVALID_CLIENT);
  for (const code_verifier of [`${VERIFIER}x`, VERIFIER.toLowerCase(), CHALLENGE, '']) {
    assert.deepEqual((await requestToken({ ...(await order()), code_verifier })).body, INVALID_GRANT, code_verifier);
  }
  const right = { ...(await order()), code_verifier: VERIFIER };
  assert.equal((await requestToken(right)).status, 200, 'a plain challenge is the verifier');
});

test('requires a PKCE challenge from a public client', async () => {
  const [{ client_id }, { browser: visit }] = [
    await createApplication({ confidential: false }),
    await createSignedInUser(),
  ];
  const fields = { client_id, redirect_uri: CALLBACK, response_type: 'code', state: 's' };
  const page = await visit.get(`//oauth/authorize?${new URLSearchParams(fields)}`);
  assert.equal(page.status, 302);
  const sent = new URL(page.headers.location as string).searchParams;
  assert.deepEqual([sent.get('error'), sent.get('state'), sent.get('code')], ['invalid_request', 's', null]);
  assert.equal(
    (await visit.get(`//oauth/authorize?${new URLSearchParams({ ...fields, code_challenge: '' })}`)).status,
    302,
  );
  const right = { ...fields, code_challenge: CHALLENGE, code_challenge_method: 'S256' };
  assert.equal((await visit.get(`//oauth/authorize?${new URLSearchParams(right)}`)).status, 200);
});

test('authenticates a client by HTTP Basic and accepts a JSON body', async () => {
  const [client, { browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const Authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const first = await requestCode(visit, client);
  assert.equal((await requestToken({ ...exchange, code: first }, { Authorization })).status, 200);
  const other = await requestCode(visit, client);
  const params = { ...exchange, code: other, client_id, client_secret };
  assert.equal((await here.anonymous.post('//oauth/token', params)).status, 200);
});

/** A new code of a client, and how it is rightly exchanged. */
async function givenCode() {
  const [client, { user: mira, browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const given = await requestCode(visit, client, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  return { mira, right: { ...exchange, client_id, client_secret, code: given, code_verifier: VERIFIER } };
}

test('rejects an unknown code and keeps the other codes valid', async () => {
  const { right } = await givenCode();
  for (const unknown of ['0'.repeat(64), 'x']) {
    const { status, body, headers } = await requestToken({ ...right, code: unknown });
    assert.deepEqual([status, body, headers['cache-control']], [400, INVALID_GRANT, 'no-store'], unknown);
  }
  assert.equal((await requestToken(right)).status, 200);
});

test('rejects a mismatched exchange and invalidates the code', async () => {
  const other = await createApplication();
  for (const wrong of [
    { redirect_uri: `${CALLBACK}/` },
    { redirect_uri: '' },
    { code_verifier: CHALLENGE },
    { code_verifier: '' },
    { client_id: other.client_id, client_secret: other.client_secret },
  ]) {
    const { right } = await givenCode();
    assert.deepEqual((await requestToken({ ...right, ...wrong })).body, INVALID_GRANT, JSON.stringify(wrong));
    assert.deepEqual((await requestToken(right)).body, INVALID_GRANT, `used up by ${JSON.stringify(wrong)}`);
  }
});

test('invalidates the code if the client fails to authenticate', async () => {
  const other = await createApplication();
  for (const wrong of [
    { client_secret: other.client_secret },
    { client_secret: '' },
    { client_id: 'unknown' },
    { client_id: '', client_secret: '' },
  ]) {
    const { right } = await givenCode();
    const { status, body, headers } = await requestToken({ ...right, ...wrong });
    assert.deepEqual([status, body], [401, INVALID_CLIENT]);
    assert.match(String(headers['www-authenticate']), /^Bearer realm="Protected by OAuth 2.0", error="invalid_client"/);
    assert.deepEqual((await requestToken(right)).body, INVALID_GRANT);
  }
});

test('revokes the tokens of a code that is used again, by any client', async () => {
  for (const changes of [{}, { code_verifier: 'wrong' }, { client_id: '', client_secret: '' }]) {
    const { right } = await givenCode();
    const first = (await requestToken(right)).body;
    const { client_id, client_secret } = right;
    const refresh = { grant_type: 'refresh_token', client_id, client_secret, refresh_token: first.refresh_token };
    const second = (await requestToken(refresh)).body;
    assert.equal((await getWithBearer(second.access_token)).status, 200);
    clock.advance(1);
    assert.notEqual((await requestToken({ ...right, ...changes })).status, 200);
    const dead = await getWithBearer(second.access_token);
    assert.equal(dead.body.error_description, 'Token was revoked. You have to re-authorize from the user.');
    assert.deepEqual((await requestToken({ ...refresh, refresh_token: second.refresh_token })).body, INVALID_GRANT);
  }
});

test('revokes only the tokens of a used code that is sent again after its expiry', async () => {
  const [{ right }, { right: other }] = [await givenCode(), await givenCode()];
  const [{ body: stolen }, { body: kept }] = [await requestToken(right), await requestToken(other)];
  clock.advance(601);
  assert.deepEqual((await requestToken(right)).body, INVALID_GRANT);
  assert.equal((await getWithBearer(stolen.access_token)).status, 401);
  assert.equal((await getWithBearer(kept.access_token)).status, 200);
});

test('rejects a verifier for a code without a challenge', async () => {
  const [client, { browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret, code: await requestCode(visit, client) };
  assert.deepEqual((await requestToken({ ...order, code_verifier: VERIFIER })).body, INVALID_GRANT);
});

test('expires a code after ten minutes', async () => {
  const [client, { browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret };
  const [early, late] = [await requestCode(visit, client), await requestCode(visit, client)];
  clock.advance(599);
  assert.equal((await requestToken({ ...order, code: early })).status, 200);
  clock.advance(1);
  assert.deepEqual((await requestToken({ ...order, code: late })).body, INVALID_GRANT);
});

test('lets exactly one of many concurrent exchanges of a code succeed', async () => {
  const [client, { user: mira, browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret, code: await requestCode(visit, client) };
  const answers = await Promise.all(Array.from({ length: 5 }, () => requestToken(order)));
  const won = answers.filter(({ status }) => status === 200);
  assert.deepEqual([won.length, answers.filter(({ status }) => status === 400).length], [1, 4]);
  assert.equal((await getWithBearer(won[0]?.body.access_token)).body.id, mira.id);
});

test('issues no token to a user who is blocked before the exchange', async () => {
  const [client, { user: mira, browser: visit }] = [await createApplication(), await createSignedInUser()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret, code: await requestCode(visit, client) };
  await root.post(`/users/${mira.id}/block`);
  assert.deepEqual((await requestToken(order)).body, INVALID_GRANT);
  await root.post(`/users/${mira.id}/unblock`);
  assert.deepEqual((await requestToken(order)).body, INVALID_GRANT, 'the code is used up');
});
