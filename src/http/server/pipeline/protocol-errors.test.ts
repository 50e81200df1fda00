import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns 404 for an unknown path, and 405 with Allow for another method', async () => {
  const { anonymous } = await world();
  const unknown = await anonymous.get('/nothing/here');
  assert.equal(unknown.status, 404);
  assert.deepEqual(unknown.body, { error: '404 Not Found' });
  const wrong = await anonymous.send('POST', '//-/liveness');
  assert.equal(wrong.status, 405);
  assert.deepEqual(wrong.body, { error: '405 Not Allowed' });
  assert.equal(wrong.headers.allow, 'GET, HEAD, OPTIONS');
});

test('returns 400 for invalid JSON before all other checks, even on unknown paths', async () => {
  const { anonymous } = await world();
  const headers = { 'Content-Type': 'application/json' };
  const answer = await anonymous.send('POST', '/nothing/here', { raw: '{"a":', headers });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body, { error: 'Invalid JSON format' });
});

test('NUL, broken escapes and invalid UTF-8 are invalid parameters', async () => {
  const { anonymous } = await world();
  for (const [path, name] of [
    ['/users?page=1&username=%00', 'username'],
    ['/users?x=%ff', 'x'],
    ['/users?a%20b+c[]=%', 'a b c[]'],
    ['/users?a%00=1', 'query'],
    ['/users?=%00', 'query'],
    ['/users/%zz', 'path'],
    ['/projects/a%2F%E9', 'path'],
  ] as const) {
    const answer = await anonymous.get(path);
    assert.deepEqual([answer.status, answer.body], [400, { error: `${name} is invalid` }], path);
    assert.equal(answer.headers['content-type'], 'application/json', path);
  }
});

test('health endpoints respond without credentials, to HEAD without a body', async () => {
  const { anonymous } = await world();
  assert.equal((await anonymous.get('//-/liveness')).status, 200);
  assert.equal((await anonymous.get('//-/readiness')).status, 200);
  assert.equal((await anonymous.head('//-/readiness')).status, 200);
});

test('CORS: any origin, no credentials; a preflight allows every method', async () => {
  const { anonymous } = await world();
  const answer = await anonymous.get('/nothing', undefined, { Origin: 'https://app.test' });
  assert.equal(answer.headers['access-control-allow-origin'], '*');
  assert.match(String(answer.headers['access-control-expose-headers']), /X-Total-Pages/);
  const headers = { Origin: 'https://app.test', 'Access-Control-Request-Method': 'PUT' };
  const preflight = await anonymous.send('OPTIONS', '/projects/1', { headers });
  assert.equal(preflight.status, 204);
  assert.match(String(preflight.headers['access-control-allow-methods']), /PUT/);
});

test('request ids are new for every request', async () => {
  const { anonymous } = await world();
  const first = await anonymous.get('//-/liveness', undefined, { 'X-Request-Id': 'mine' });
  const second = await anonymous.get('//-/liveness');
  assert.notEqual(first.headers['x-request-id'], second.headers['x-request-id']);
  assert.notEqual(first.headers['x-request-id'], 'mine');
});

test('ignores repeated and trailing slashes, which python-gitlab sends', async () => {
  const { root } = await world();
  const answer = await root.post('/features//some_flag', { value: true });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.name, 'some_flag');
  assert.equal((await root.get('/features/')).status, 200);
});
