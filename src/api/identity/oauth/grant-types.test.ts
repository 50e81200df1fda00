import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';
import { type FormFields, INVALID_CLIENT, INVALID_GRANT, oauthFixtures } from './fixtures.testing.ts';

// Tokens by refresh token, by password, and for an application itself (contract/conventions.md §10 "OAuth 2.0").

const here = await world();
const { root, anonymous, clock } = here;
const { createApplication, requestToken, requestTokenPair, requestTokenPairByPassword, getWithBearer } =
  oauthFixtures(here);

const INVALID_SCOPE = {
  error: 'invalid_scope',
  error_description: 'The requested scope is invalid, unknown, or malformed.',
};

test('requires a supported grant_type', async () => {
  const unsaid: readonly FormFields[] = [{}, { grant_type: '' }];
  for (const fields of unsaid) {
    const { status, body } = await requestToken(fields);
    assert.deepEqual(
      [status, body],
      [400, { error: 'invalid_request', error_description: 'Missing required parameter: grant_type.' }],
    );
  }
  assert.deepEqual((await requestToken({ grant_type: 'implicit' })).body, {
    error: 'unsupported_grant_type',
    error_description: 'The authorization grant type is not supported by the authorization server.',
  });
  for (const [grant_type, parameter] of [
    ['authorization_code', 'code'],
    ['refresh_token', 'refresh_token'],
  ] as const) {
    const { error_description } = (await requestToken({ grant_type })).body;
    assert.equal(error_description, `Missing required parameter: ${parameter}.`);
  }
});

test('exchanges a refresh token for a new pair with the same scopes and revokes the old pair', async () => {
  const mira = await userWithPassword(here);
  const { client_id, client_secret } = await createApplication();
  const client = { client_id, client_secret };
  const old = await requestTokenPairByPassword(mira, { ...client, scope: 'read_user' });
  assert.equal((await getWithBearer(old.access_token)).status, 200);
  const { body } = await requestToken({ grant_type: 'refresh_token', refresh_token: old.refresh_token, ...client });
  assert.equal(body.scope, 'read_user');
  assert.notEqual(body.access_token, old.access_token);
  const dead = await getWithBearer(old.access_token);
  assert.equal(dead.status, 401);
  assert.deepEqual(dead.body, {
    message: '401 Unauthorized',
    error: 'invalid_token',
    error_description: 'Token was revoked. You have to re-authorize from the user.',
  });
  assert.match(
    String(dead.headers['www-authenticate']),
    /^Bearer realm="Protected by OAuth 2.0", error="invalid_token"/,
  );
  const again = await requestToken({ grant_type: 'refresh_token', refresh_token: old.refresh_token, ...client });
  assert.deepEqual([again.status, again.body], [400, INVALID_GRANT]);
  assert.equal((await getWithBearer(body.access_token)).body.id, mira.id);
});

test('expires an access token after two hours, but not its refresh token', async () => {
  const mira = await userWithPassword(here);
  const { access_token, refresh_token } = await requestTokenPairByPassword(mira);
  clock.advance(7_199);
  assert.equal((await getWithBearer(access_token)).status, 200);
  clock.advance(1);
  const expired = await getWithBearer(access_token);
  assert.equal(
    expired.body.error_description,
    'Token is expired. You can either do re-authorization or token refresh.',
  );
  const renewed = await requestTokenPair({ grant_type: 'refresh_token', refresh_token });
  assert.equal((await getWithBearer(renewed.access_token)).status, 200);
});

test('lets exactly one of many concurrent refreshes succeed', async () => {
  const { refresh_token } = await requestTokenPairByPassword(await userWithPassword(here));
  const refreshs = Array.from({ length: 5 }, () => requestToken({ grant_type: 'refresh_token', refresh_token }));
  const answers = await Promise.all(refreshs);
  const won = answers.filter(({ status }) => status === 200);
  assert.deepEqual([won.length, answers.filter(({ status }) => status === 400).length], [1, 4]);
  assert.equal((await getWithBearer(won[0]?.body.access_token)).status, 200);
});

test('rejects a refresh token reused within a minute without revoking its successors', async () => {
  const { refresh_token } = await requestTokenPairByPassword(await userWithPassword(here));
  const again = { grant_type: 'refresh_token', refresh_token };
  const { access_token } = await requestTokenPair(again);
  clock.advance(60);
  assert.deepEqual((await requestToken(again)).body, INVALID_GRANT);
  assert.equal((await getWithBearer(access_token)).status, 200);
});

test('revokes only the successors of a refresh token reused later, by any client', async () => {
  const { id: _, ...client } = await createApplication();
  const mira = await userWithPassword(here);
  const [first, other] = [
    await requestTokenPairByPassword(mira, client),
    await requestTokenPairByPassword(mira, client),
  ];
  const refresh = ({ refresh_token }: { readonly refresh_token: string }, fields: FormFields = client) =>
    requestToken({ grant_type: 'refresh_token', refresh_token, ...fields });
  const second = (await refresh(first)).body;
  const third = (await refresh(second)).body;
  clock.advance(61);
  assert.deepEqual((await refresh(first, {})).body, INVALID_CLIENT);
  assert.equal((await getWithBearer(third.access_token)).status, 401);
  assert.deepEqual((await refresh(third)).body, INVALID_GRANT);
  assert.equal((await getWithBearer(other.access_token)).status, 200);
});

test('rejects refresh tokens that are unknown, of other clients, or used as access tokens', async () => {
  const mira = await userWithPassword(here);
  const [own, other] = [await createApplication(), await createApplication()];
  const { id: _, ...client } = own;
  const { access_token, refresh_token } = await requestTokenPairByPassword(mira, client);
  const refresh = async (fields: Record<string, string>) =>
    (await requestToken({ grant_type: 'refresh_token', refresh_token, ...fields })).body;
  assert.deepEqual(await refresh({}), INVALID_CLIENT);
  assert.deepEqual(await refresh({ client_id: own.client_id }), INVALID_CLIENT);
  assert.deepEqual(await refresh({ client_id: other.client_id, client_secret: other.client_secret }), INVALID_GRANT);
  assert.deepEqual(await refresh({ ...client, refresh_token: access_token }), INVALID_GRANT);
  assert.deepEqual(await refresh({ ...client, refresh_token: 'x' }), INVALID_GRANT);
  assert.equal((await getWithBearer(refresh_token)).status, 401, 'nor is it an access token');
  assert.equal((await getWithBearer(access_token)).status, 200, 'nothing has changed');
  await root.post(`/users/${mira.id}/block`);
  assert.deepEqual(await refresh(client), INVALID_GRANT);
});

test('issues a token for a username or e-mail address and password, with known scopes only', async () => {
  const mira = await userWithPassword(here);
  assert.equal((await requestTokenPairByPassword(mira)).access_token.length, 64);
  const byEmail = await requestTokenPair({
    grant_type: 'password',
    username: `${mira.username}@hearth.test`,
    password: PASSWORD,
    scope: 'read_user read_api',
  });
  assert.equal((byEmail as unknown as { scope: string }).scope, 'read_user read_api');
  assert.equal((await getWithBearer(byEmail.access_token, '/projects')).status, 200);
  const unknown = await requestToken({
    grant_type: 'password',
    username: mira.username,
    password: PASSWORD,
    scope: 'all',
  });
  assert.deepEqual([unknown.status, unknown.body], [400, INVALID_SCOPE]);
});

test('answers alike for wrong passwords and for unknown, blocked and deactivated users', async () => {
  const [mira, blocked, deactivated] = await Promise.all([1, 2, 3].map(() => userWithPassword(here)));
  await root.post(`/users/${blocked?.id}/block`);
  clock.advance(100 * 86_400);
  assert.equal((await root.post(`/users/${deactivated?.id}/deactivate`)).status, 201);
  const refused: readonly Partial<FormFields>[] = [
    { username: mira?.username, password: 'wrong' },
    { username: 'nobody-at-all', password: PASSWORD },
    { username: blocked?.username, password: PASSWORD },
    { username: deactivated?.username, password: PASSWORD },
    { username: 'ghost', password: PASSWORD },
    {},
  ];
  for (const fields of refused) {
    const { status, body } = await requestToken({ grant_type: 'password', ...(fields as FormFields) });
    assert.deepEqual([status, body], [400, INVALID_GRANT], JSON.stringify(fields));
  }
});

test('locks the account for ten minutes after ten wrong passwords', async () => {
  const mira = await userWithPassword(here);
  for (let failure = 0; failure < 10; failure++) {
    await requestToken({ grant_type: 'password', username: mira.username, password: 'wrong' });
  }
  const right = { grant_type: 'password', username: mira.username, password: PASSWORD };
  assert.deepEqual((await requestToken(right)).body, INVALID_GRANT);
  assert.equal((await root.get(`/users/${mira.id}`)).body.locked, true);
  clock.advance(600);
  assert.equal((await requestToken(right)).status, 200);
});

test('rejects unknown clients with a password; a setting decides about requests without a client', async () => {
  const mira = await userWithPassword(here);
  const { client_id, client_secret } = await createApplication({ scopes: 'read_user' });
  const order = { grant_type: 'password', username: mira.username, password: PASSWORD };
  assert.equal((await requestToken({ ...order, client_id, client_secret })).body.scope, 'read_user');
  assert.deepEqual((await requestToken({ ...order, client_id, client_secret, scope: 'api' })).body, INVALID_SCOPE);
  assert.deepEqual((await requestToken({ ...order, client_id, client_secret: 'x' })).body, INVALID_CLIENT);
  assert.deepEqual((await requestToken({ ...order, client_id })).body, INVALID_CLIENT);
  assert.deepEqual((await requestToken({ ...order, client_id: 'unknown' })).body, INVALID_CLIENT);
  await root.put('/application/settings', { ropc_without_client_credentials: false });
  const refused = await requestToken(order);
  assert.equal((await requestToken({ ...order, client_id, client_secret })).status, 200);
  await root.put('/application/settings', { ropc_without_client_credentials: true });
  assert.deepEqual([refused.status, refused.body], [401, INVALID_CLIENT]);
});

test('rejects the token of an application without a user in the API', async () => {
  const { client_id, client_secret } = await createApplication();
  const { status, body } = await requestToken({ grant_type: 'client_credentials', client_id, client_secret });
  assert.deepEqual([status, body.scope, 'refresh_token' in body], [200, 'api read_user', false]);
  for (const path of ['/user', '/projects']) {
    const { status, body: refusal } = await getWithBearer(body.access_token, path);
    assert.deepEqual([status, refusal], [401, { message: '401 Unauthorized' }]);
  }
  const order = { grant_type: 'client_credentials', client_id, client_secret };
  assert.equal((await requestToken({ ...order, scope: 'read_user' })).body.scope, 'read_user');
  assert.deepEqual((await requestToken({ ...order, scope: 'sudo' })).body, INVALID_SCOPE);
  const open = await createApplication({ confidential: false });
  const asPublic = { grant_type: 'client_credentials', client_id: open.client_id };
  assert.deepEqual((await requestToken(asPublic)).body, INVALID_CLIENT, 'it has proven nothing');
  assert.deepEqual((await requestToken({ grant_type: 'client_credentials' })).body, INVALID_CLIENT);
});

test('allows requests from browsers of other sites', async () => {
  const { headers } = await anonymous.send('POST', '//oauth/token', { headers: { Origin: 'https://app.test' } });
  assert.equal(headers['access-control-allow-origin'], '*');
});
