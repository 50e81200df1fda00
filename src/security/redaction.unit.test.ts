import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretName, redactFields, redactText, redactUrl } from './redaction.ts';

test('recognises the names of secrets in every spelling', () => {
  const names =
    'token private_token access_token bearer_token refresh_token job_token PRIVATE-TOKEN Job-Token X-CSRF-Token password ' +
    'password_confirmation HEARTH_ROOT_PASSWORD rootToken client_secret clientSecret HEARTH_SECRET_KEY Authorization ' +
    'cookie Set-Cookie user[password] configuration[access_token] X-Sentry-Auth sentry_key authenticity_token smtpUrl';
  for (const name of names.split(' ')) assert.equal(isSecretName(name), true, name);
  for (const name of ['id', 'key', 'page_token_count', 'code', 'tokens', 'user', 'path', 'tokenizer', 'accessKeyId']) {
    assert.equal(isSecretName(name), false, name);
  }
});

test('redacts only the values of secret parameters in a URL', () => {
  const table: [string, string][] = [
    ['/api/v4/projects?a=1&private_token=hunter2&b=%20', '/api/v4/projects?a=1&private_token=[REDACTED]&b=%20'],
    ['/x?private%5Ftoken=hunter2', '/x?private%5Ftoken=[REDACTED]'],
    ['/x?configuration%5Baccess_token%5D=hunter2', '/x?configuration%5Baccess_token%5D=[REDACTED]'],
    ['/oauth/cb?code=hunter2&state=s', '/oauth/cb?code=[REDACTED]&state=s'],
    ['/x?variables[A]=hunter2', '/x?variables[A]=[REDACTED]'],
    ['/x?%zz=1&token=hunter2#access_token=hunter2', '/x?%zz=1&token=[REDACTED]#access_token=[REDACTED]'],
    ['https://me:hunter2@host:1/p?q=1', 'https://[REDACTED]@host:1/p?q=1'],
    ['postgres://me:hun@ter2@host/db', 'postgres://[REDACTED]@host/db'],
    ['/x?search=glpat-hunter2hunter2hunter2', '/x?search=[REDACTED]'],
    ['/b/-/sent_notifications/i8-7-hunter2/unsubscribe', '/b/-/sent_notifications/[REDACTED]/unsubscribe'],
    ['/-/sent_notifications/i8-7-hunter2', '/-/sent_notifications/[REDACTED]'],
    ['//-//sent_notifications///i8-7-hunter2//', '//-//sent_notifications///[REDACTED]//'],
    ['/-/sent%5fnotification%73/i8%2D7-hunter2/x', '/-/sent%5fnotification%73/[REDACTED]/x'],
    ['/api/v4/projects/a%2Fb?search=q&token', '/api/v4/projects/a%2Fb?search=q&token'],
    ['', ''],
  ];
  for (const [url, shown] of table) assert.equal(redactUrl(url), shown);
});

test('redacts credentials in free text', () => {
  const table: [string, string][] = [
    ["fatal: unable to access 'https://u:hunter2@h/x.git'", "fatal: unable to access 'https://[REDACTED]@h/x.git'"],
    ['Authorization: Bearer hunter2hunter2', 'Authorization: Bearer [REDACTED]'],
    ['bad token glrt-hunter2_hunter2-x', 'bad token [REDACTED]'],
    ['GET http://h/?private_token=hunter2 failed', 'GET http://h/?private_token=[REDACTED] failed'],
    ['a@b.example wrote to https://h/x', 'a@b.example wrote to https://h/x'],
  ];
  for (const [text, shown] of table) assert.equal(redactText(text), shown);
});

test('copies fields without secrets at any depth, and does not change the original', () => {
  const fields = {
    url: '/x?token=hunter2',
    headers: { 'private-token': 'hunter2', accept: '*/*' },
    list: [{ password: 'hunter2' }, 'https://u:hunter2@h/'],
    password: null,
    require_password: true,
    token: 17,
    body: Buffer.from('hunter2'),
    at: new URL('https://u:hunter2@h/'),
    big: 5n,
    error: Object.assign(new Error('no https://u:hunter2@h/', { cause: new Error('token=hunter2') }), { code: 'E1' }),
  };
  const copy = redactFields(fields);
  assert.doesNotMatch(JSON.stringify(copy), /hunter2/);
  assert.deepEqual(copy.headers, { 'private-token': '[REDACTED]', accept: '*/*' });
  assert.equal(copy.password, null);
  assert.equal(copy.require_password, true);
  assert.equal(copy.token, '[REDACTED]');
  assert.equal((copy.error as { code: string }).code, 'E1');
  assert.equal(fields.headers['private-token'], 'hunter2');
});

test('handles a value that contains itself', () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  assert.match(JSON.stringify(redactFields(loop)), /too deep/);
});

test('redacts a long text quickly', () => {
  const long = 'a'.repeat(200_000);
  assert.equal(redactText(long).length, long.length);
  assert.equal(redactUrl(`/x?${long}`).length, long.length + 3);
});
