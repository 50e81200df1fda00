import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SendOptions, TestResponse } from '#test/support/caller.ts';
import { world } from '#test/support/world.ts';

// The sources and formats of tokens (contract/conventions.md §7 "Ways in, and precedence").

const { anonymous, user, name } = await world();

const UNAUTHORIZED = { message: '401 Unauthorized' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

function isFailure({ status, body, headers }: TestResponse, where: string): void {
  assert.deepEqual([status, body], [401, UNAUTHORIZED], where);
  assert.equal(headers['www-authenticate'], undefined, 'nothing is known of it that could be told');
}

test('accepts a token in the body in each encoding, and in the query', async () => {
  const mira = await user();
  const token = mira.token as string;
  for (const field of ['private_token', 'access_token', 'bearer_token']) {
    const email = () => `${name('address')}@mail.test`;
    const part = (key: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
    const answers = [
      await anonymous.send('POST', '/user/emails', { raw: `email=${email()}&${field}=${token}`, headers: FORM }),
      await anonymous.post('/user/emails', { email: email(), [field]: token }),
      await anonymous.send('POST', '/user/emails', {
        raw: `${part('email', email())}${part(field, token)}--b--\r\n`,
        headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
      }),
      await anonymous.send('POST', `/user/emails?${field}=${token}`, { raw: `email=${email()}`, headers: FORM }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201],
      field,
    );
    assert.equal((await anonymous.head('/user', { [field]: token })).status, 200);
    const inBody = { raw: JSON.stringify({ [field]: token }), headers: JSON_TYPE };
    assert.equal((await anonymous.send('GET', '/user', inBody)).body.id, mira.id, 'a read may have a body');
  }
});

test('accepts the bearer scheme in any case, with spaces around the token', async () => {
  const mira = await user();
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER   ']) {
    const answer = await anonymous.get('/user', {}, { Authorization: `${scheme}${mira.token} ` });
    assert.equal(answer.body.id, mira.id, scheme);
  }
  for (const Authorization of [
    'Bearer',
    'Bearer ',
    `Token ${mira.token}`,
    `${mira.token}`,
    'Basic eDp5',
    'GL-Geo a:b',
  ]) {
    assert.equal((await anonymous.get('/projects', {}, { Authorization })).status, 200, `${Authorization} is none`);
  }
});

test('rejects unknown credentials on public reads, writes and unknown paths', async () => {
  const given: readonly SendOptions[] = [
    { headers: { 'PRIVATE-TOKEN': 'wrong' } },
    { headers: { Authorization: 'Bearer wrong' } },
    { headers: { Authorization: 'Bearer a b' } },
    { headers: { Authorization: `Bearer ${'0'.repeat(64)}` } },
    { headers: { 'PRIVATE-TOKEN': 'x'.repeat(8_000) } },
    { params: { private_token: 'wrong' } },
    { params: { access_token: 'ä' } },
    { params: { bearer_token: ' ' } },
  ];
  for (const sending of given) {
    for (const path of ['/projects', '/groups', '/user', '/users?username=root', '/projects/999999', '/openapi.json']) {
      isFailure(await anonymous.send('GET', path, sending), `${path} ${JSON.stringify(sending).slice(0, 80)}`);
    }
    isFailure(await anonymous.send('DELETE', '/projects/1', sending), 'a write');
  }
});

test('rejects a token that is not a text, and ignores hashes and lists', async () => {
  const ask = (private_token: unknown) =>
    anonymous.send('GET', '/projects', { raw: JSON.stringify({ private_token }), headers: JSON_TYPE });
  for (const odd of [5, true, 0, false, '\ud800', 'a\u0000b']) isFailure(await ask(odd), JSON.stringify(odd));
  for (const none of [null, '', [], {}, ['x'], { a: 'x' }]) {
    assert.equal((await ask(none)).status, 200, JSON.stringify(none));
  }
});

test('ignores tokens of other kinds of endpoints', async () => {
  const mira = await user();
  const other = { 'DEPLOY-TOKEN': 'x', 'JOB-TOKEN': 'x', 'RUNNER-TOKEN': 'x', 'X-Sentry-Auth': 'Sentry x' };
  for (const [header, value] of Object.entries(other)) {
    assert.equal((await anonymous.get('/projects', {}, { [header]: value })).status, 200, header);
    isFailure(await anonymous.get('/user', {}, { [header]: value }), header);
    assert.equal((await mira.get('/user', {}, { [header]: value })).status, 200, header);
  }
});

test('returns 401 without credentials before all other errors', async () => {
  for (const [method, path] of [
    ['GET', '/user'],
    ['GET', '/personal_access_tokens?state=odd'],
    ['GET', '/projects/999999/members'],
    ['POST', '/projects'],
    ['PUT', '/projects/999999'],
    ['POST', '/users'],
    ['DELETE', '/users/999999/emails/1'],
    ['GET', '/application/settings'],
    ['PUT', '/application/settings?bulk_import_enabled=maybe'],
    ['POST', '/features/x'],
    ['GET', '/applications'],
    ['GET', '/audit_events?per_page=0'],
    ['POST', '/projects/999999/access_tokens'],
    ['POST', '/personal_access_tokens/self/rotate'],
    ['POST', '/users/999999/impersonation_tokens'],
  ] as const) {
    isFailure(await anonymous.send(method, path), `${method} ${path}`);
  }
});

test('reports a revoked token however it is sent', async () => {
  const mira = await user();
  await mira.delete('/personal_access_tokens/self');
  const error_description = 'Token was revoked. You have to re-authorize from the user.';
  for (const answer of [
    await mira.get('/projects'),
    await anonymous.get('/projects', { private_token: mira.token }),
    await anonymous.get('/projects', {}, { Authorization: `Bearer ${mira.token}` }),
    await anonymous.post('/projects', { access_token: mira.token }),
  ]) {
    assert.deepEqual(
      [answer.status, answer.body],
      [401, { ...UNAUTHORIZED, error: 'invalid_token', error_description }],
    );
    assert.equal(
      answer.headers['www-authenticate'],
      `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${error_description}"`,
    );
  }
});
