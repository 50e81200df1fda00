import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';
import { type FormFields, INVALID_CLIENT, oauthFixtures } from './fixtures.testing.ts';

// What a token is good for, what is shown of it, and how it ends (contract/conventions.md §7, §10 "OAuth 2.0").

const here = await world();
const { root, anonymous, clock } = here;
const {
  createApplication,
  requestToken,
  requestTokenPair,
  requestTokenPairByPassword,
  createBearerHeaders,
  getWithBearer,
} = oauthFixtures(here);

const post = (path: string, fields: FormFields) =>
  anonymous.send('POST', path, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

async function givenToken() {
  const mira = await userWithPassword(here);
  const { id, ...client } = await createApplication();
  return { mira, applicationId: id, client, ...(await requestTokenPairByPassword(mira, client)) };
}

test('accepts a token as a bearer header or as access_token, not as private_token', async () => {
  const { mira, access_token } = await givenToken();
  assert.equal((await getWithBearer(access_token)).body.id, mira.id);
  assert.equal((await anonymous.get('/user', { access_token })).body.id, mira.id);
  assert.equal((await anonymous.get('/user', { private_token: access_token })).status, 401);
  assert.equal((await anonymous.get('/user', {}, { 'PRIVATE-TOKEN': access_token })).status, 401);
});

test("checks the state of the token's user in each request", async () => {
  const { mira, access_token } = await givenToken();
  await root.post(`/users/${mira.id}/block`);
  const { status, body } = await getWithBearer(access_token);
  assert.deepEqual([status, body], [403, { message: '403 Forbidden - Your account has been blocked.' }]);
  await root.post(`/users/${mira.id}/unblock`);
  assert.equal((await getWithBearer(access_token)).status, 200);
});

test("lets an administrator's token with the scope sudo act as another user", async () => {
  const mira = await userWithPassword(here);
  const order = { grant_type: 'password', username: 'root', password: 'correct-horse-battery' };
  const sudo = await requestTokenPair({ ...order, scope: 'api sudo' });
  const headers = { ...createBearerHeaders(sudo.access_token), Sudo: mira.username };
  assert.equal((await anonymous.get('/user', {}, headers)).body.id, mira.id);
  const plain = await requestTokenPair(order);
  const refused = await anonymous.get('/user', {}, { ...createBearerHeaders(plain.access_token), Sudo: mira.username });
  assert.deepEqual([refused.status, refused.body.scope], [403, 'sudo']);
});

test('is not accepted where a personal access token is required', async () => {
  const { access_token } = await givenToken();
  const headers = createBearerHeaders(access_token);
  const own = await anonymous.get('/personal_access_tokens/self', {}, headers);
  assert.deepEqual(
    [own.status, own.body.message],
    [400, '400 Bad request - This endpoint requires token type to be a personal access token'],
  );
  const rotated = await anonymous.send('POST', '/personal_access_tokens/self/rotate', { headers });
  assert.equal(rotated.status, 405);
  assert.equal((await getWithBearer(access_token)).status, 200);
});

test('is accepted by git as a password', async () => {
  const { mira, client } = await givenToken();
  const { access_token } = await requestTokenPairByPassword(mira, client);
  const made = await anonymous.send('POST', '/projects', {
    params: { name: here.name('project'), initialize_with_readme: true },
    headers: createBearerHeaders(access_token),
  });
  assert.equal(made.status, 201);
  const path = `//${made.body.path_with_namespace}.git/info/refs?service=git-upload-pack`;
  const basic = (secret: string) => ({
    Authorization: `Basic ${Buffer.from(`oauth2:${secret}`).toString('base64')}`,
  });
  assert.equal((await anonymous.get(path, {}, basic(access_token))).status, 200);
  assert.equal((await anonymous.get(path, {}, basic('0'.repeat(64)))).status, 401);
});

test('returns scopes, application and remaining seconds in the token info', async () => {
  const { mira, client, access_token } = await givenToken();
  clock.advance(100);
  const created_at = Math.floor(clock.now().getTime() / 1000) - 100;
  const { status, body } = await anonymous.get('//oauth/token/info', {}, createBearerHeaders(access_token));
  assert.equal(status, 200);
  assert.deepEqual(body, {
    resource_owner_id: mira.id,
    scope: ['api', 'read_user'],
    expires_in: 7100,
    application: { uid: client.client_id },
    created_at,
    scopes: ['api', 'read_user'],
    expires_in_seconds: 7100,
  });
  const { access_token: own } = await requestTokenPairByPassword(mira);
  const info = await anonymous.get('//oauth/token/info', { access_token: own });
  assert.deepEqual([info.body.application, info.body.scope], [{ uid: null }, ['api']]);
  const ofClient = await requestTokenPair({ grant_type: 'client_credentials', ...client });
  const owner = await anonymous.get('//oauth/token/info', {}, createBearerHeaders(ofClient.access_token));
  assert.equal(owner.body.resource_owner_id, null);
});

test('returns no token info for unknown and expired tokens', async () => {
  const { mira, client, access_token } = await givenToken();
  const { access_token: revoked } = await requestTokenPairByPassword(mira, client);
  await post('//oauth/revoke', { token: revoked, ...client });
  const getErrorDescription = async (headers: Readonly<Record<string, string>>) => {
    const answer = await anonymous.get('//oauth/token/info', {}, headers);
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers['www-authenticate']), /error="invalid_token"/);
    assert.equal(answer.body.error, 'invalid_token');
    return answer.body.error_description;
  };
  assert.equal(await getErrorDescription({}), 'The access token is invalid');
  assert.equal(await getErrorDescription(createBearerHeaders('0'.repeat(64))), 'The access token is invalid');
  assert.equal(await getErrorDescription(createBearerHeaders(mira.token as string)), 'The access token is invalid');
  assert.equal(await getErrorDescription(createBearerHeaders(revoked)), 'The access token was revoked');
  clock.advance(7200);
  assert.equal(await getErrorDescription(createBearerHeaders(access_token)), 'The access token expired');
});

test('revokes both tokens of a pair by either one', async () => {
  const given = await givenToken();
  const { client, access_token, refresh_token } = given;
  const ended = await post('//oauth/revoke', { token: access_token, ...client });
  assert.deepEqual([ended.status, ended.body], [200, {}]);
  assert.equal((await getWithBearer(access_token)).body.error_description?.startsWith('Token was revoked.'), true);
  const renewal = await requestToken({ grant_type: 'refresh_token', refresh_token, ...client });
  assert.equal(renewal.body.error, 'invalid_grant');
  const other = await requestTokenPairByPassword(given.mira, client);
  await post('//oauth/revoke', { token: other.refresh_token, ...client });
  assert.equal((await getWithBearer(other.access_token)).status, 401);
  assert.equal((await post('//oauth/revoke', { token: access_token, ...client })).status, 200, 'ended already');
});

test('does not revoke tokens of other applications or reveal whether they exist', async () => {
  const { mira, client, access_token } = await givenToken();
  const { id: _, ...other } = await createApplication();
  const strangers: readonly FormFields[] = [
    {},
    other,
    { ...client, client_secret: 'wrong' },
    { client_id: client.client_id },
  ];
  for (const stranger of strangers) {
    const { status, body } = await post('//oauth/revoke', { token: access_token, ...stranger });
    assert.deepEqual(
      [status, body],
      [403, { error: 'unauthorized_client', error_description: 'You are not authorized to revoke this token' }],
    );
    for (const token of ['0'.repeat(64), 'x', '']) {
      const answer = await post('//oauth/revoke', { token, ...stranger });
      assert.deepEqual([answer.status, answer.body], [200, {}]);
    }
  }
  assert.equal((await getWithBearer(access_token)).status, 200);
  const clientless = await requestTokenPairByPassword(mira);
  assert.equal((await post('//oauth/revoke', { token: clientless.access_token })).status, 200);
  assert.equal((await getWithBearer(clientless.access_token)).status, 401);
});

test('introspects tokens of the calling application only', async () => {
  const { mira, client, access_token } = await givenToken();
  const iat = Math.floor(clock.now().getTime() / 1000);
  const { status, body } = await post('//oauth/introspect', { token: access_token, ...client });
  const live = { active: true, scope: 'api read_user', client_id: client.client_id, token_type: 'Bearer' };
  assert.deepEqual([status, body], [200, { ...live, exp: iat + 7200, iat }]);
  const { id: _, ...other } = await createApplication();
  const clientless = await requestTokenPairByPassword(mira);
  const nothing: readonly FormFields[] = [
    { token: access_token, ...other },
    { token: clientless.access_token, ...client },
    { token: '0'.repeat(64), ...client },
    client,
  ];
  for (const asked of nothing) {
    const answer = await post('//oauth/introspect', asked);
    assert.deepEqual([answer.status, answer.body], [200, { active: false }]);
  }
  const unproven: readonly FormFields[] = [{}, { ...client, client_secret: 'x' }, { client_id: 'x' }];
  for (const wrong of unproven) {
    const answer = await post('//oauth/introspect', { token: access_token, ...wrong });
    assert.deepEqual([answer.status, answer.body], [401, INVALID_CLIENT]);
  }
  clock.advance(7200);
  assert.deepEqual((await post('//oauth/introspect', { token: access_token, ...client })).body, { active: false });
});

test('a token is inactive while its user is blocked or banned', async () => {
  const { mira, client, access_token } = await givenToken();
  const answers = async () => {
    const info = await anonymous.get('//oauth/token/info', {}, createBearerHeaders(access_token));
    const { body } = await post('//oauth/introspect', { token: access_token, ...client });
    return [info.status, info.body.error_description ?? null, body.active];
  };
  for (const [block, unblock] of [
    ['block', 'unblock'],
    ['ban', 'unban'],
  ]) {
    assert.equal((await root.post(`/users/${mira.id}/${block}`)).status, 201);
    assert.deepEqual(await answers(), [401, 'The access token is invalid', false]);
    assert.equal((await root.post(`/users/${mira.id}/${unblock}`)).status, 201);
    assert.deepEqual(await answers(), [200, null, true]);
  }
  await root.put(`/users/${mira.id}`, { password: 'another-horse-battery' });
  assert.equal((await getWithBearer(access_token)).status, 403);
  assert.deepEqual(await answers(), [401, 'The access token is invalid', false]);
});

test('logs no passwords and secrets of query strings', async () => {
  const { mira, access_token, refresh_token, client } = await givenToken();
  const secrets = [access_token, refresh_token, client.client_secret, PASSWORD];
  const order = { username: mira.username, password: PASSWORD, ...client, refresh_token, code: 'c0de-'.repeat(9) };
  const wrong = { ...order, code_verifier: 'verifier-'.repeat(6) };
  const getErrorDescription: string[] = [];
  for (const [path, fields] of [
    ['//oauth/token', { ...order, grant_type: 'password' }],
    ['//oauth/token', { ...wrong, grant_type: 'authorization_code' }],
    ['//oauth/token', { ...order, grant_type: 'odd' }],
    ['//oauth/introspect', { token: access_token, ...client }],
    ['//oauth/revoke', { token: access_token, client_secret: client.client_secret }],
    ['//oauth/nothing', { ...wrong, access_token, bearer_token: access_token }],
  ] as const) {
    const answer = await anonymous.send('POST', `${path}?${new URLSearchParams(fields as FormFields)}`);
    if (answer.status !== 200) getErrorDescription.push(answer.text);
  }
  const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  await anonymous.send('POST', '//oauth/token', { headers: { Authorization: `Basic ${basic}` } });
  await anonymous.get('//oauth/token/info', { bearer_token: access_token });
  await getWithBearer(access_token, '/nothing');
  const logged = here.logged();
  for (const secret of [...secrets, wrong.code, wrong.code_verifier, basic]) {
    assert.ok(!logged.includes(secret), secret);
    assert.ok(!getErrorDescription.join('').includes(secret), secret);
  }
});
