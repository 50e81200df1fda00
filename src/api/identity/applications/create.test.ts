import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { APPLICATION_INPUT } from './fixtures.testing.ts';

const { root, name } = await world();

test('creates an application with a client id and returns its secret once', async () => {
  const { status, body } = await root.post('/applications', { ...APPLICATION_INPUT, name: 'ci-bot' });
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

test('creates a public application if it is not confidential', async () => {
  const { body } = await root.post('/applications', { ...APPLICATION_INPUT, name: name('app'), confidential: false });
  assert.equal(body.confidential, false);
});

const post = async (changes: Readonly<Record<string, unknown>>) => {
  const { status, body } = await root.post('/applications', { ...APPLICATION_INPUT, name: 'app', ...changes });
  return [status, body];
};
const count = async () => (await root.get('/applications')).headers['x-total'];

test('rejects missing and invalid parameters and creates nothing', async () => {
  const before = await count();
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
  assert.equal(await count(), before);
});

test('reports all blank, unknown and too long values at once and creates nothing', async () => {
  const before = await count();
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

test('accepts the scopes of OpenID Connect', async () => {
  const [status] = await post({
    name: 'sign-in',
    redirect_uri: 'https://app.test/cb',
    scopes: 'openid profile email',
  });
  assert.equal(status, 201);
});
