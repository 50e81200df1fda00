import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';
import { CALLBACK, givenOAuth, INVALID_CLIENT, INVALID_GRANT } from './given.testing.ts';

// Codes and what they are exchanged for (contract/conventions.md §10 "OAuth 2.0", RFC 6749 §4.1, RFC 7636).

const here = await world();
const { root, clock } = here;
const { application, token, code, withBearer, person } = givenOAuth(here);

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const exchange = { grant_type: 'authorization_code', redirect_uri: CALLBACK };

test('a code with PKCE becomes a pair of tokens that acts for the user', async () => {
  const [client, { mira, visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const given = await code(visit, client, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  const { status, headers, body } = await token({
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
  assert.equal((await withBearer(access_token)).body.id, mira.id);
});

test('the scopes are those that were asked for', async () => {
  const [client, { visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const given = await code(visit, client, { scope: 'read_user' });
  const { body } = await token({ ...exchange, client_id, client_secret, code: given });
  assert.equal(body.scope, 'read_user');
  assert.equal((await withBearer(body.access_token)).status, 200);
  assert.equal((await withBearer(body.access_token, '/projects')).body.error, 'insufficient_scope');
});

test('a program that can keep no secret sends its client_id alone', async () => {
  const [client, { visit }] = [await application({ confidential: false }), await person()];
  const { client_id } = client;
  const given = await code(visit, client, { code_challenge: VERIFIER });
  const order = { ...exchange, client_id, code: given };
  assert.deepEqual((await token({ ...order, code_verifier: VERIFIER, client_secret: 'gloas-x' })).body, INVALID_CLIENT);
  for (const code_verifier of [`${VERIFIER}x`, VERIFIER.toLowerCase(), CHALLENGE, '']) {
    assert.deepEqual((await token({ ...order, code_verifier })).body, INVALID_GRANT, code_verifier);
  }
  assert.equal((await token({ ...order, code_verifier: VERIFIER })).status, 200, 'a plain challenge is the verifier');
});

test('a client may prove itself by HTTP Basic, and send JSON', async () => {
  const [client, { visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const Authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const first = await code(visit, client);
  assert.equal((await token({ ...exchange, code: first }, { Authorization })).status, 200);
  const other = await code(visit, client);
  const params = { ...exchange, code: other, client_id, client_secret };
  assert.equal((await here.anonymous.post('//oauth/token', params)).status, 200);
});

test('what does not fit is refused and leaves the code for the one it was issued to', async () => {
  const [client, other, { visit }] = [await application(), await application(), await person()];
  const { client_id, client_secret } = client;
  const given = await code(visit, client, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  const right = { ...exchange, client_id, client_secret, code: given, code_verifier: VERIFIER };
  const { code_verifier: _, ...unproven } = right;
  const wrong = [
    { ...right, code: '0'.repeat(64) },
    { ...right, code: 'x' },
    { ...right, redirect_uri: `${CALLBACK}/` },
    { ...right, redirect_uri: '' },
    { ...right, code_verifier: CHALLENGE },
    { ...right, client_id: other.client_id, client_secret: other.client_secret },
    unproven,
  ];
  for (const order of wrong) {
    const { status, body, headers } = await token(order);
    assert.deepEqual([status, body, headers['cache-control']], [400, INVALID_GRANT, 'no-store'], JSON.stringify(order));
  }
  assert.equal((await token(right)).status, 200);
});

test('a client that is not the one it says leaves the code for the one it was issued to', async () => {
  const [client, other, { visit }] = [await application(), await application(), await person()];
  const { client_id, client_secret } = client;
  const given = await code(visit, client, { code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  const right = { ...exchange, client_id, client_secret, code: given, code_verifier: VERIFIER };
  for (const order of [
    { ...right, client_secret: other.client_secret },
    { ...right, client_secret: '' },
    { ...right, client_id: 'unknown' },
    { ...right, client_id: '', client_secret: '' },
  ]) {
    const { status, body, headers } = await token(order);
    assert.deepEqual([status, body], [401, INVALID_CLIENT]);
    assert.match(String(headers['www-authenticate']), /^Bearer realm="Protected by OAuth 2.0", error="invalid_client"/);
  }
  assert.equal((await token(right)).status, 200);
  assert.deepEqual((await token(right)).body, INVALID_GRANT, 'a code is used once');
});

test('a verifier for a code without a challenge is refused: somebody has taken the challenge away', async () => {
  const [client, { visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret, code: await code(visit, client) };
  assert.deepEqual((await token({ ...order, code_verifier: VERIFIER })).body, INVALID_GRANT);
  assert.equal((await token(order)).status, 200);
});

test('a code lives ten minutes', async () => {
  const [client, { visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret };
  const [early, late] = [await code(visit, client), await code(visit, client)];
  clock.advance(599);
  assert.equal((await token({ ...order, code: early })).status, 200);
  clock.advance(1);
  assert.deepEqual((await token({ ...order, code: late })).body, INVALID_GRANT);
});

test('of many exchanges of one code at once exactly one succeeds, and its token works', async () => {
  const [client, { mira, visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret, code: await code(visit, client) };
  const answers = await Promise.all(Array.from({ length: 5 }, () => token(order)));
  const won = answers.filter(({ status }) => status === 200);
  assert.deepEqual([won.length, answers.filter(({ status }) => status === 400).length], [1, 4]);
  assert.equal((await withBearer(won[0]?.body.access_token)).body.id, mira.id);
});

test('a user who is blocked before the exchange gets no token', async () => {
  const [client, { mira, visit }] = [await application(), await person()];
  const { client_id, client_secret } = client;
  const order = { ...exchange, client_id, client_secret, code: await code(visit, client) };
  await root.post(`/users/${mira.id}/block`);
  assert.deepEqual((await token(order)).body, INVALID_GRANT);
  await root.post(`/users/${mira.id}/unblock`);
  assert.equal((await token(order)).status, 200);
});
