import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import type { TestResponse } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';
import { CALLBACK, type FormFields, INVALID_CLIENT, INVALID_GRANT, oauthFixtures } from './fixtures.testing.ts';

// Requests that clients of OAuth may send, if few do (contract/conventions.md §1 and §10 "OAuth 2.0").

const here = await world();
const { anonymous } = here;
const {
  createApplication,
  requestToken,
  requestTokenPair,
  requestCode,
  requestTokenPairByPassword,
  getWithBearer,
  createSignedInUser,
} = oauthFixtures(here);

const CALLS = ['//oauth/token', '//oauth/revoke', '//oauth/introspect'];
const FORM = 'application/x-www-form-urlencoded';

const sent = (path: string, type: string | null, raw: string, headers: FormFields = {}): Promise<TestResponse> =>
  anonymous.send('POST', path, { raw, headers: { ...(type === null ? {} : { 'Content-Type': type }), ...headers } });

const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

const POST_ONLY = 'POST, OPTIONS';

test('returns 405 for other methods, and lists the allowed ones for OPTIONS', async () => {
  for (const path of CALLS) {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body, headers } = await anonymous.send(method, path);
      assert.deepEqual([status, body, headers.allow], [405, { error: '405 Not Allowed' }, POST_ONLY], method);
    }
    const { status, headers } = await anonymous.send('OPTIONS', path);
    assert.deepEqual([status, headers.allow], [204, POST_ONLY]);
    assert.equal((await anonymous.send('POST', `${path}/x`)).status, 404);
  }
  const info = await anonymous.send('POST', '//oauth/token/info');
  assert.deepEqual([info.status, info.headers.allow], [405, 'GET, HEAD, OPTIONS']);
});

test('rejects malformed bodies and unsupported media types like other endpoints', async () => {
  for (const path of CALLS) {
    for (const [type, raw, status, told] of [
      ['application/json', '{', 400, '{"error":"Invalid JSON format"}'],
      ['text/plain', 'x', 415, '{"error":"The provided content-type \'text/plain\' is not supported."}'],
      ['application/xml', '<a/>', 415, '{"error":"The provided content-type \'application/xml\' is not supported."}'],
      [FORM, 'token=%00', 400, '{"error":"token is invalid"}'],
      [FORM, 'token=%ff', 400, '{"error":"token is invalid"}'],
      [FORM, 'token[]=x&grant_type[a]=x', 400, null],
    ] as const) {
      const answer = await sent(path, type, raw);
      assert.equal(answer.status, status, `${path} ${type} ${raw}`);
      if (told !== null) assert.equal(answer.text, told);
    }
  }
  const nul = await anonymous.post('//oauth/token', { grant_type: 'password', username: 'a\u0000b' });
  assert.deepEqual([nul.status, nul.body], [400, { error: 'username is invalid' }]);
});

test('accepts parameters as form, multipart, JSON and query', async () => {
  const { username } = await userWithPassword(here);
  const fields = { grant_type: 'password', username, password: PASSWORD, scope: 'read_user api read_user' };
  const form = new URLSearchParams(fields).toString();
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const answers = [
    await sent('//oauth/token', null, form),
    await sent('//oauth/token', `${FORM}; charset=UTF-8`, form),
    await sent('//oauth/token', 'multipart/form-data; boundary=b', `${parts.join('')}--b--\r\n`),
    await sent('//oauth/token', 'application/json; charset=utf-8', JSON.stringify({ ...fields, unheard: [1] })),
    await sent(`//oauth/token?${form}`, 'application/json', ''),
  ];
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.scope, body.token_type, body.expires_in], [200, 'read_user api', 'Bearer', 7200]);
  }
});

test('treats an empty body as a request without parameters', async () => {
  for (const type of [null, FORM, 'application/json', 'text/plain']) {
    const told = await sent('//oauth/token', type, '');
    const missing = { error: 'invalid_request', error_description: 'Missing required parameter: grant_type.' };
    assert.deepEqual([told.status, told.body], [400, missing]);
    assert.deepEqual((await sent('//oauth/revoke', type, '')).body, {});
    assert.deepEqual((await sent('//oauth/introspect', type, '')).body, INVALID_CLIENT);
  }
});

test('returns invalid_client for unknown Basic credentials with any bytes', async () => {
  const { username } = await userWithPassword(here);
  const { client_id, client_secret } = await createApplication();
  const order = new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }).toString();
  for (const text of [
    'a\u0000b:c',
    `${client_id}:\u0000`,
    'ä:ö',
    `${client_id}:`,
    `:${client_secret}`,
    `${client_id}: ${client_secret}`,
  ]) {
    const answer = await sent('//oauth/token', FORM, order, basic(text));
    assert.deepEqual([answer.status, answer.body], [401, INVALID_CLIENT], JSON.stringify(text));
    for (const path of ['//oauth/revoke', '//oauth/introspect']) {
      assert.ok((await sent(path, FORM, 'token=x', basic(text))).status < 500);
    }
  }
  const bytes = { Authorization: `Basic ${Buffer.from([0xff, 0x3a, 0x00]).toString('base64')}` };
  assert.deepEqual((await sent('//oauth/token', FORM, order, bytes)).body, INVALID_CLIENT);
});

test('prefers Basic credentials to fields, and ignores empty ones', async () => {
  const mira = await userWithPassword(here);
  const [own, other] = [await createApplication(), await createApplication()];
  const order = { grant_type: 'password', username: mira.username, password: PASSWORD };
  const both = await requestToken(
    { ...order, client_id: other.client_id, client_secret: other.client_secret },
    basic(`${own.client_id}:${own.client_secret}`),
  );
  const info = await anonymous.get('//oauth/token/info', { access_token: both.body.access_token });
  assert.equal(info.body.application.uid, own.client_id);
  const empty = await requestToken(
    { ...order, client_id: own.client_id, client_secret: own.client_secret },
    basic(':'),
  );
  const told = await anonymous.get('//oauth/token/info', { access_token: empty.body.access_token });
  assert.equal(told.body.application.uid, own.client_id);
});

test('accepts Basic credentials and JSON for revocation and introspection', async () => {
  const mira = await userWithPassword(here);
  const { id: _, ...client } = await createApplication();
  const proof = basic(`${client.client_id}:${client.client_secret}`);
  const [one, two] = [await requestTokenPairByPassword(mira, client), await requestTokenPairByPassword(mira, client)];
  assert.equal((await sent('//oauth/introspect', FORM, `token=${one.access_token}`, proof)).body.active, true);
  const asked = await anonymous.post('//oauth/introspect', { token: two.access_token, ...client });
  assert.equal(asked.body.active, true);
  assert.equal((await sent('//oauth/revoke', FORM, `token=${one.access_token}`, proof)).status, 200);
  const ended = await anonymous.post('//oauth/revoke', { token: two.access_token, token_type_hint: 'x', ...client });
  assert.deepEqual([ended.status, ended.body], [200, {}]);
  for (const { access_token } of [one, two]) {
    assert.equal((await getWithBearer(access_token)).status, 401);
    assert.deepEqual((await anonymous.post('//oauth/introspect', { token: access_token, ...client })).body, {
      active: false,
    });
  }
});

test('lets a public client revoke only its own tokens, by its client_id', async () => {
  const { user: mira, browser: visit } = await createSignedInUser();
  const [own, other] = [
    await createApplication({ confidential: false }),
    await createApplication({ confidential: false }),
  ];
  const order = { grant_type: 'authorization_code', redirect_uri: CALLBACK, client_id: own.client_id };
  const code_verifier = 'v'.repeat(43);
  const given = await requestCode(visit, own, { code_challenge: code_verifier });
  const { access_token } = await requestTokenPair({ ...order, code: given, code_verifier });
  const revoke = (client_id: string) => sent('//oauth/revoke', FORM, `token=${access_token}&client_id=${client_id}`);
  const stranger = await revoke(other.client_id);
  assert.deepEqual([stranger.status, stranger.body.error], [403, 'unauthorized_client']);
  assert.equal((await getWithBearer(access_token)).body.id, mira.id);
  assert.equal((await revoke(own.client_id)).status, 200);
  assert.equal((await getWithBearer(access_token)).status, 401);
});

test('ignores personal access tokens in token info, introspection and revocation', async () => {
  const mira = await userWithPassword(here);
  const { id: _, ...client } = await createApplication();
  const secret = mira.token as string;
  assert.deepEqual((await anonymous.post('//oauth/revoke', { token: secret, ...client })).body, {});
  assert.deepEqual((await anonymous.post('//oauth/introspect', { token: secret, ...client })).body, { active: false });
  const refresh = await requestToken({ grant_type: 'refresh_token', refresh_token: secret });
  assert.deepEqual([refresh.status, refresh.body], [400, INVALID_GRANT]);
  assert.equal((await mira.get('/user')).status, 200);
});

test('accepts names in any case and white space between scopes, and keeps it in passwords', async () => {
  const { username } = await userWithPassword(here);
  const order = { grant_type: 'password', username: username.toUpperCase(), password: PASSWORD };
  const { status, body } = await requestToken({ ...order, scope: ' read_user\n  api ' });
  assert.deepEqual([status, body.scope], [200, 'read_user api']);
  assert.deepEqual((await requestToken({ ...order, password: `${PASSWORD} ` })).body, INVALID_GRANT);
  assert.equal((await requestToken({ ...order, grant_type: 'Password' })).body.error, 'unsupported_grant_type');
  assert.equal((await requestToken({ ...order, scope: 'API' })).body.error, 'invalid_scope');
  assert.equal((await requestToken({ ...order, scope: 'api,read_user' })).body.error, 'invalid_scope');
});

test('treats very long values as invalid', async () => {
  const { id: _, ...client } = await createApplication();
  const long = 'x'.repeat(100_000);
  const orders: readonly FormFields[] = [
    { grant_type: long },
    { grant_type: 'password', username: long, password: long },
    { grant_type: 'password', username: 'root', password: 'y', client_id: long, client_secret: long },
    { grant_type: 'refresh_token', refresh_token: long },
    { grant_type: 'authorization_code', code: long, code_verifier: long, redirect_uri: long, ...client },
    { grant_type: 'client_credentials', scope: long, ...client },
  ];
  for (const fields of orders) assert.ok([400, 401].includes((await requestToken(fields)).status));
  const tooLong = { error: 'token is too long (maximum is 4096 bytes)' };
  assert.deepEqual((await anonymous.post('//oauth/revoke', { token: long })).body, tooLong);
});

test('answers HEAD like GET for the form, the redirect to sign-in and errors', async () => {
  const { browser: visit } = await createSignedInUser();
  const { client_id } = await createApplication();
  const asked = `//oauth/authorize?${new URLSearchParams({ client_id, redirect_uri: CALLBACK, response_type: 'code' })}`;
  for (const [who, path, status] of [
    [visit, asked, 200],
    [browser(here), asked, 302],
    [visit, '//oauth/authorize', 400],
  ] as const) {
    const head = await who.send('HEAD', path);
    const page = await who.get(path);
    assert.deepEqual([head.status, page.status, head.text], [status, status, '']);
    for (const name of ['content-type', 'location', 'cache-control', 'x-frame-options']) {
      assert.equal(head.headers[name], page.headers[name], name);
    }
  }
});
