import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// Only callers with access get 304 for an unchanged response (contract/conventions.md §4).

const { root, anonymous, user, clock, newProject } = await world();

async function known(path: string, caller = root) {
  const { status, headers } = await caller.get(path);
  assert.equal(status, 200);
  return { 'If-None-Match': String(headers.etag) };
}

test('a token that is revoked, expired or unknown gets 401', async () => {
  for (const end of ['revoke', 'expire', 'block'] as const) {
    const mira = await user();
    const headers = await known('/version', mira);
    assert.equal((await mira.get('/version', {}, headers)).status, 304);
    if (end === 'revoke') await mira.delete('/personal_access_tokens/self');
    if (end === 'block') await root.post(`/users/${mira.id}/block`);
    if (end === 'expire') clock.advance(365 * 86_400);
    const { status, headers: told, body } = await mira.get('/version', {}, headers);
    assert.deepEqual([status, told.etag, body === null], [end === 'block' ? 403 : 401, undefined, false]);
    assert.equal((await mira.get('/version', {}, { 'If-None-Match': '*' })).status, status);
    if (end === 'expire') clock.advance(-365 * 86_400);
  }
  assert.equal((await anonymous.get('/version', {}, { 'If-None-Match': '*' })).status, 401);
});

test('returns 404 after access is lost, and If-None-Match * does not reveal existence', async () => {
  const [mira, otto] = [await user(), await user()];
  const { id, addMember: add } = await newProject({ owner: mira });
  await add('developer', otto);
  const headers = await known(`/projects/${id}`, otto);
  assert.equal((await otto.get(`/projects/${id}`, {}, headers)).status, 304);
  await mira.delete(`/projects/${id}/members/${otto.id}`);
  for (const tag of [headers['If-None-Match'], '*']) {
    assert.equal((await otto.get(`/projects/${id}`, {}, { 'If-None-Match': tag })).status, 404);
    assert.equal((await anonymous.get(`/projects/${id}`, {}, { 'If-None-Match': tag })).status, 404);
  }
});

test('returns 403 for a missing scope and 400 for an invalid parameter, despite a matching ETag', async () => {
  const mira = await user({ scopes: ['read_user'] });
  assert.equal((await mira.get('/projects', {}, { 'If-None-Match': '*' })).status, 403);
  assert.equal((await root.get('/projects', { per_page: 0 }, { 'If-None-Match': '*' })).status, 400);
});

test('a change produces a new ETag, and the old one no longer matches', async () => {
  const mira = await user();
  const { id } = await newProject({ owner: mira });
  const headers = await known(`/projects/${id}`, mira);
  await mira.put(`/projects/${id}`, { description: 'Changed' });
  const { status, body, headers: told } = await mira.get(`/projects/${id}`, {}, headers);
  assert.deepEqual([status, body.description], [200, 'Changed']);
  assert.notEqual(told.etag, headers['If-None-Match']);
});

test('returns 304 to HEAD, and ignores the condition on writes', async () => {
  const headers = await known('/version');
  const head = await root.send('HEAD', '/version', { headers });
  assert.deepEqual([head.status, head.headers.etag], [304, headers['If-None-Match']]);
  const made = await root.send('POST', '/groups', {
    headers: { 'If-None-Match': '*' },
    params: { name: 'Known', path: 'known' },
  });
  assert.deepEqual([made.status, made.headers.etag, made.headers['cache-control']], [201, undefined, 'no-cache']);
});

test('matches weak and strong tags, lists and *, and no other or malformed ETag', async () => {
  const { 'If-None-Match': etag } = await known('/version');
  for (const other of [
    '"*"',
    '',
    'W/',
    etag.slice(0, -2),
    etag.slice(3, -1),
    etag.toUpperCase(),
    `${etag.slice(0, -1)}x"`,
  ]) {
    assert.equal((await root.get('/version', {}, { 'If-None-Match': other })).status, 200, other);
  }
  for (const same of ['*', etag.slice(2), `"a", "b,c" , ${etag}`, `${etag},"a"`, ` ${etag} `, '"a", *']) {
    assert.equal((await root.get('/version', {}, { 'If-None-Match': same })).status, 304, same);
  }
});
