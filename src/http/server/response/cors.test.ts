import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import type { TestResponse } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';

// Scripts of other sites (contract/conventions.md §4).

const here = await world();
const { anonymous, root } = here;

const Origin = 'https://app.test';

function isOpen({ headers }: TestResponse): boolean {
  assert.equal(headers['access-control-allow-credentials'], undefined);
  assert.equal(headers.vary, 'Origin');
  return headers['access-control-allow-origin'] === '*' && headers['access-control-expose-headers'] !== undefined;
}

const preflight = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  anonymous.send('OPTIONS', path, { headers: { Origin, 'Access-Control-Request-Method': 'PATCH', ...headers } });

test('allows other origins to read every API response, including errors', async () => {
  const { headers } = await root.get('/version');
  const json = { 'Content-Type': 'application/json' };
  const answers = [
    [200, await anonymous.get('/projects', {}, { Origin })],
    [200, await root.send('HEAD', '/version', { headers: { Origin } })],
    [304, await root.get('/version', {}, { Origin, 'If-None-Match': String(headers.etag) })],
    [401, await anonymous.get('/user', {}, { Origin })],
    [404, await anonymous.get('/nothing', {}, { Origin })],
    [405, await anonymous.send('PATCH', '/version', { headers: { Origin } })],
    [400, await anonymous.get('/projects?x=%00', {}, { Origin })],
    [400, await anonymous.send('POST', '/projects', { raw: '{', headers: { Origin, ...json } })],
    [410, await anonymous.get('//api/v3/projects', {}, { Origin })],
    [404, await anonymous.get('//api/v5/projects', {}, { Origin: 'null' })],
  ] as const;
  for (const [status, answer] of answers) assert.deepEqual([answer.status, isOpen(answer)], [status, true]);
});

test('exposes the headers of lists and files', async () => {
  const { headers } = await anonymous.get('/projects', {}, { Origin });
  const exposed = String(headers['access-control-expose-headers']).split(', ');
  const files = ['Blob-Id', 'Commit-Id', 'Content-Sha256', 'Encoding', 'Execute-Filemode', 'File-Name', 'File-Path'];
  for (const name of [
    ...['Link', 'X-Total', 'X-Total-Pages', 'X-Per-Page', 'X-Page', 'X-Next-Page', 'X-Prev-Page', 'X-Request-Id'],
    ...['ETag', ...[...files, 'Last-Commit-Id', 'Ref', 'Size'].map((name) => `X-Service-${name}`)],
  ]) {
    assert.ok(exposed.includes(name), name);
  }
});

test('sends no CORS headers without an Origin', async () => {
  const { headers } = await anonymous.get('/projects');
  assert.deepEqual(
    [headers['access-control-allow-origin'], headers['access-control-expose-headers'], headers.vary],
    [undefined, undefined, 'Origin'],
  );
});

test('a preflight allows any method and header on any path', async () => {
  const asked = 'PRIVATE-TOKEN, X-Whatever, content-type';
  for (const path of ['/projects/1', '/nothing', '//oauth/token', '//oauth/revoke']) {
    const answer = await preflight(path, { 'Access-Control-Request-Headers': asked });
    assert.ok(isOpen(answer) && (answer.status === 200 || answer.status === 204), path);
    const methods = String(answer.headers['access-control-allow-methods']).split(', ');
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) assert.ok(methods.includes(method), method);
    assert.equal(answer.headers['access-control-allow-headers'], asked);
  }
  const plain = await anonymous.send('OPTIONS', '/version', { headers: { Origin } });
  assert.deepEqual([plain.status, plain.headers.allow, isOpen(plain)], [204, 'GET, HEAD, OPTIONS', true]);
});

test('allows other origins to create and revoke OAuth tokens, and no other OAuth requests', async () => {
  for (const path of ['//oauth/token', '//oauth/revoke']) {
    assert.equal(isOpen(await anonymous.send('POST', path, { headers: { Origin } })), true, path);
    assert.equal(isOpen(await anonymous.send('GET', path, { headers: { Origin } })), true, '405 too');
  }
  for (const path of ['//oauth/authorize', '//users/sign_in', '//']) {
    assert.equal(isOpen(await anonymous.get(path, {}, { Origin })), false, path);
    assert.equal((await preflight(path)).headers['access-control-allow-methods'], undefined, path);
  }
});

test('another origin reads public data only, also with the cookie', async () => {
  const mira = await userWithPassword(here);
  const visit = await signedInBrowser(here, mira);
  await mira.post('/projects', { name: 'Secret of mira' });
  const shown = async (headers: Readonly<Record<string, string>>) => (await visit.get('/projects', headers)).text;
  assert.ok((await shown({})).includes('Secret of mira'));
  assert.ok(!(await shown({ Origin })).includes('Secret of mira'));
  assert.ok((await shown({ Origin, 'PRIVATE-TOKEN': mira.token as string })).includes('Secret of mira'));
});
