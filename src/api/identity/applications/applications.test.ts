import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '../../../../test/world.ts';

const { root, anonymous, user, name } = await world();

const ORDER = { redirect_uri: 'https://app.test/cb\nhttp://localhost:7171/cb', scopes: 'read_user api' };

async function newApplication() {
  const { status, body } = await root.post('/applications', { ...ORDER, name: name('app') });
  assert.equal(status, 201);
  return body as { id: number; application_id: string; secret: string };
}

test('an application has an id for clients and shows its secret once', async () => {
  const { status, body } = await root.post('/applications', { ...ORDER, name: 'ci-bot' });
  const { id, application_id, secret, ...rest } = body;
  assert.equal(status, 201);
  assert.match(application_id, /^[0-9a-f]{64}$/);
  assert.match(secret, /^gloas-[0-9a-f]{64}$/);
  assert.deepEqual(rest, {
    application_name: 'ci-bot',
    callback_url: 'https://app.test/cb\nhttp://localhost:7171/cb',
    confidential: true,
  });
  const all = (await root.get('/applications', { per_page: 100 })).body;
  assert.deepEqual(all.at(-1), { id, application_id, ...rest });
});

test('the list is paged, the oldest first', async () => {
  const [one, other] = [await newApplication(), await newApplication()];
  const { body, headers } = await root.get('/applications', { per_page: 100 });
  const ids = body.map(({ id }: { id: number }) => id);
  assert.deepEqual(ids.slice(-2), [one.id, other.id]);
  assert.equal(headers['x-total'], String(body.length));
  assert.equal((await root.get('/applications', { per_page: 1, page: body.length })).body[0].id, other.id);
});

test('an application that can keep no secret is public', async () => {
  const { body } = await root.post('/applications', { ...ORDER, name: name('app'), confidential: false });
  assert.equal(body.confidential, false);
});

test('administrators only, whatever else is wrong', async () => {
  const mira = await user();
  const { id } = await newApplication();
  for (const [method, path] of [
    ['GET', '/applications'],
    ['POST', '/applications'],
    ['DELETE', `/applications/${id}`],
    ['POST', `/applications/${id}/renew-secret`],
  ] as const) {
    assert.deepEqual((await anonymous.send(method, path)).body, { message: '401 Unauthorized' });
    assert.deepEqual((await mira.send(method, path)).body, { message: '403 Forbidden' });
  }
});

test('what is missing or wrong is told of, and nothing is made', async () => {
  const count = async () => (await root.get('/applications')).headers['x-total'];
  const before = await count();
  const post = async (changes: Readonly<Record<string, unknown>>) => {
    const { status, body } = await root.post('/applications', { ...ORDER, name: 'app', ...changes });
    return [status, body];
  };
  assert.deepEqual((await root.post('/applications')).body, {
    error: 'name is missing, redirect_uri is missing, scopes is missing, scopes is empty',
  });
  assert.deepEqual((await root.post('/applications', { name: 'x', redirect_uri: 'https://app.test' })).body, {
    error: 'scopes is missing, scopes is empty',
  });
  assert.deepEqual(await post({ scopes: ' ' }), [400, { error: 'scopes is empty' }]);
  assert.deepEqual(await post({ redirect_uri: 'http://' }), [
    400,
    { message: { redirect_uri: ['must be a valid URI.'] } },
  ]);
  assert.deepEqual(await post({ redirect_uri: 'https://app.test/cb javascript:alert(1)' }), [
    400,
    { message: { redirect_uri: ['is forbidden by the server.'] } },
  ]);
  assert.deepEqual(await post({ redirect_uri: '', name: ' ', scopes: 'api everything' }), [
    400,
    {
      message: {
        name: ["can't be blank"],
        redirect_uri: ["can't be blank"],
        scopes: ["doesn't match configured on the server."],
      },
    },
  ]);
  const long = { name: 'n'.repeat(256), redirect_uri: `https://app.test/${'x'.repeat(8_000)}` };
  assert.deepEqual(await post(long), [
    400,
    {
      message: {
        name: ['is too long (maximum is 255 characters)'],
        redirect_uri: ['is too long (maximum is 8000 characters)'],
      },
    },
  ]);
  assert.equal(await count(), before);
});

test('a secret that was renewed is worth nothing', async () => {
  const { id, application_id: client_id, secret: client_secret } = await newApplication();
  const ask = async (secret: string) =>
    (await anonymous.post('//oauth/token', { grant_type: 'client_credentials', client_id, client_secret: secret }))
      .status;
  assert.equal(await ask(client_secret), 200);
  const { status, body } = await root.post(`/applications/${id}/renew-secret`);
  assert.deepEqual([status, body.application_id], [201, client_id]);
  assert.deepEqual([await ask(client_secret), await ask(body.secret)], [401, 200]);
});

test('an application that is removed takes its tokens along', async () => {
  const { id, application_id: client_id, secret: client_secret } = await newApplication();
  const params = { grant_type: 'client_credentials', client_id, client_secret };
  const { access_token } = (await anonymous.post('//oauth/token', params)).body;
  const bearer = { Authorization: `Bearer ${access_token}` };
  assert.equal((await anonymous.get('//oauth/token/info', {}, bearer)).status, 200);
  assert.equal((await root.delete(`/applications/${id}`)).status, 204);
  assert.equal((await anonymous.get('//oauth/token/info', {}, bearer)).status, 401);
  assert.equal((await anonymous.post('//oauth/token', params)).body.error, 'invalid_client');
});

test('what is not there', async () => {
  for (const id of [999_999, '99999999999999999999']) {
    const told = [404, { message: '404 Application Not Found' }];
    const removed = await root.delete(`/applications/${id}`);
    const renewed = await root.post(`/applications/${id}/renew-secret`);
    assert.deepEqual([removed.status, removed.body], told);
    assert.deepEqual([renewed.status, renewed.body], told);
  }
});
