import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT, testPlace } from '#test/engines/engine.ts';
import { getMailParts, startSmtpSink } from '#test/support/smtp-sink.ts';
import { runInProcess, startServerProcess } from './process.testing.ts';

// Commands that change a server run while a server process serves the same data.

type Json = Record<string, unknown>;

const place = await testPlace('started');
const sink = await startSmtpSink();
const withoutMail = { HEARTH_DATA_DIR: place.dataDir, HEARTH_DATABASE_URL: place.url };
const env = {
  ...withoutMail,
  HEARTH_MAIL_DELIVERY: 'smtp',
  HEARTH_SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
  HEARTH_MAIL_FROM: 'hearth@hearth.example',
  HEARTH_EXTERNAL_URL: 'http://hearth.example',
};
const { address, stop } = await startServerProcess(env);
after(async () => {
  await stop();
  await sink.stop();
  await place.remove();
});

const hearth = (args: readonly string[], input = '') => runInProcess(args, env, input);

const request = (method: string, path: string, token: string) =>
  fetch(`${address}/api/v4${path}`, { method, headers: { 'PRIVATE-TOKEN': token } });

const get = async (path: string, token: string = ROOT.token) =>
  (await (await request('GET', path, token)).json()) as Json;

async function listAuditEvents(): Promise<unknown[]> {
  const events = (await (await request('GET', '/audit_events', ROOT.token)).json()) as Json[];
  return events.map(({ event_name }) => event_name);
}

/** Returns the status of a sign-in with a password. */
async function signIn(username: string, password: string): Promise<number> {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  return (await fetch(`${address}/oauth/token`, { method: 'POST', body })).status;
}

/** Creates a user with the password `violet horse battery`. */
async function createUser(username: string): Promise<void> {
  const args = ['user', 'create', username, '--email', `${username}@hearth.test`];
  assert.equal((await hearth(args, 'violet horse battery')).err, '');
}

test('does not block the only administrator', async () => {
  const { code, err } = await hearth(['user', 'block', 'root']);
  assert.equal(code, 1);
  assert.match(err, /^hearth: root is the only administrator: /);
  assert.equal((await get('/user')).state, 'active');
});

test('creates users who can sign in at a running server, and an administrator', async () => {
  const mira = ['user', 'create', 'mira', '--email', 'mira@hearth.test', '--name', 'Mira Star'];
  const created = await hearth(mira, 'violet horse battery\n');
  assert.deepEqual([created.code, created.err], [0, '']);
  assert.match(created.out, /^Created the user mira with the id \d+\.\n$/);
  assert.equal(await signIn('mira', 'violet horse battery'), 200);
  const admin = ['user', 'create', 'ada', '--email', 'ada@hearth.test', '--admin', '--without-password', '--json'];
  const { id, is_admin } = (await get(`/users/${JSON.parse((await hearth(admin)).out).id}`)) as Json;
  assert.deepEqual([typeof id, is_admin], ['number', true]);
  assert.deepEqual((await listAuditEvents()).slice(0, 2), ['user_created', 'user_created']);
});

test('creates a user who sets their password with a link that the server sends', async () => {
  const { out, err } = await hearth(['user', 'create', 'ines', '--email', 'ines@hearth.test', '--send-link']);
  assert.equal(err, '');
  assert.match(
    out,
    /^Created the user ines .*\nThe server sends a link that sets the password to ines@hearth\.test\.\n$/,
  );
  const findMail = () => sink.mails.find(({ to }) => to === 'ines@hearth.test');
  while (findMail() === undefined) await pause(20);
  const { text } = getMailParts(findMail()!);
  assert.match(text, /An administrator created the account ines/);
  const [, path] = /http:\/\/hearth\.example(\/users\/password\/edit\?\S+)/.exec(text)!;
  assert.match(await (await fetch(`${address}${path}`)).text(), /<label for="password">New password/);
});

test('creates no user with a link without mail delivery, or with another kind of password', async () => {
  const args = ['user', 'create', 'omar', '--email', 'omar@hearth.test', '--send-link'];
  const refused = await runInProcess(args, withoutMail);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /^hearth: --send-link needs mail delivery: set HEARTH_MAIL_DELIVERY=smtp.*\n$/);
  const invalid = await hearth([...args, '--without-password']);
  assert.deepEqual([invalid.code, /exclude each other/.test(invalid.err)], [2, true]);
  assert.deepEqual((await get('/users?username=omar')) as unknown, []);
});

test('reports why a user is not created in one line, and changes nothing', async () => {
  const cases: [string[], string, number, RegExp][] = [
    [['noor'], 'violet horse battery', 2, /^hearth: --email is required/],
    [['noor', '--email', 'none'], 'violet horse battery', 1, /^hearth: Not saved: Email is invalid\n$/],
    [
      ['noor', '--email', 'm@hearth.test'],
      'short',
      1,
      /^hearth: Not saved: Password is too short \(minimum is 8 characters\)\n$/,
    ],
    [['noor', '--email', 'm@hearth.test'], '', 1, /^hearth: No password was given/],
    [['root', '--email', 'm@hearth.test'], 'violet horse battery', 1, /^hearth: There is a user root already\n$/],
    [['noor', '--email', 'm@hearth.test', '--password', 'x'], '', 2, /^hearth: Unknown option '--password'/],
  ];
  for (const [args, input, code, message] of cases) {
    const result = await hearth(['user', 'create', ...args], input);
    assert.deepEqual([result.code, result.out], [code, ''], args.join(' '));
    assert.match(result.err, message);
  }
  assert.deepEqual(((await get('/users?username=noor')) as unknown as Json[]).length, 0);
});

test('blocks, unblocks, promotes and lists users', async () => {
  await createUser('lena');
  assert.equal((await hearth(['user', 'block', 'LENA'])).out, 'Blocked LENA.\n');
  assert.equal(await signIn('lena', 'violet horse battery'), 400);
  const listed = await hearth(['user', 'list', '--blocked', '--json']);
  assert.deepEqual(
    JSON.parse(listed.out).map(({ username }: Json) => username),
    ['lena'],
  );
  assert.equal((await hearth(['user', 'unblock', 'lena'])).out, 'Unblocked lena.\n');
  assert.equal((await hearth(['user', 'unblock', 'lena'])).out, 'lena is not blocked.\n');
  assert.equal(await signIn('lena', 'violet horse battery'), 200);
  assert.equal((await hearth(['user', 'make-admin', 'lena'])).out, 'lena is an administrator now.\n');
  const table = (await hearth(['user', 'list', '--admins'])).out
    .split('\n')
    .map((line) => line.split(/ {2,}/).slice(1));
  assert.deepEqual(table[0], ['USERNAME', 'NAME', 'EMAIL', 'STATE', 'ROLE']);
  assert.deepEqual(table.at(-2), ['lena', 'lena', 'lena@hearth.test', 'active', 'administrator']);
  assert.deepEqual(await hearth(['user', 'block', 'nobody']), {
    out: '',
    err: 'hearth: There is no user nobody\n',
    code: 1,
  });
});

test('unlocks a user after ten wrong passwords', async () => {
  await createUser('yara');
  for (let attempt = 0; attempt < 10; attempt++) assert.equal(await signIn('yara', 'wrong'), 400);
  assert.match((await hearth(['user', 'list'])).out, /active, locked/);
  assert.equal((await hearth(['user', 'unlock', 'yara'])).out, 'Unlocked yara.\n');
  assert.doesNotMatch((await hearth(['user', 'list'])).out, /locked/);
  assert.equal((await listAuditEvents())[0], 'user_access_unlocked');
  assert.equal((await hearth(['user', 'unlock', 'yara'])).out, 'yara is not locked.\n');
});

test('sets a password that the user must replace', async () => {
  await createUser('zoe');
  const result = await hearth(['user', 'reset-password', 'zoe'], 'amber river tuesday');
  assert.deepEqual([result.code, result.err], [0, '']);
  assert.equal((await listAuditEvents())[0], 'user_password_updated');
  const logins = [await signIn('zoe', 'violet horse battery'), await signIn('zoe', 'amber river tuesday')];
  assert.deepEqual(logins, [400, 200]);
  const weak = await hearth(['user', 'reset-password', 'zoe'], 'password');
  assert.deepEqual([weak.code, /^hearth: Not saved: Password must not contain/.test(weak.err)], [1, true], weak.err);
});

test('creates, lists and revokes tokens of a running server', async () => {
  const created = await hearth(['token', 'create', '--user', 'ROOT', '--name', 'cli', '--scopes', 'api,sudo']);
  assert.match(created.out, /^glpat-[\w-]{20}\n$/);
  const secret = created.out.trim();
  const { id, name, scopes } = await get('/personal_access_tokens/self', secret);
  assert.deepEqual([name, scopes], ['cli', ['api', 'sudo']]);
  const listed = JSON.parse((await hearth(['token', 'list', '--user', 'root', '--json'])).out);
  assert.deepEqual(
    listed.map((token: Json) => [token.name, token.active]),
    [
      ['Initial token', true],
      ['cli', true],
    ],
  );
  assert.equal((await hearth(['token', 'revoke', String(id)])).out, 'Revoked the token cli of root.\n');
  assert.equal((await request('GET', '/user', secret)).status, 401);
  assert.match((await hearth(['token', 'list', '--all'])).out, /cli +api,sudo .* revoked\n/);
  const again = await hearth(['token', 'revoke', String(id)]);
  assert.deepEqual([again.code, again.err], [1, `hearth: The token ${id} is revoked already\n`]);
});

test('reports why a token is not created', async () => {
  const good = { user: 'root', name: 'x', scopes: 'api' };
  const cases: [object, number, RegExp][] = [
    [{ user: 'nobody' }, 1, /There is no user nobody/],
    [{ user: 'ghost' }, 1, /There is no user ghost/],
    [{ scopes: 'root' }, 2, /--scopes takes/],
    [{ scopes: '' }, 2, /--scopes takes/],
    [{ name: '' }, 2, /--name is required/],
    [{ expires: 'soon' }, 2, /--expires takes a date/],
    [{ expires: '2999-01-01' }, 1, /Expiration date must be before/],
  ];
  for (const [changes, code, message] of cases) {
    const args = Object.entries({ ...good, ...changes }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const result = await hearth(['token', 'create', ...args]);
    assert.deepEqual([result.code, result.out], [code, ''], args.join(' '));
    assert.match(result.err, message);
  }
});

test('lists the application settings', async () => {
  const { out } = await hearth(['settings', 'list']);
  assert.match(out, /^SETTING +VALUE +DEFAULT\n/);
  assert.match(out, /^minimum_password_length +8 +8$/m);
  assert.deepEqual(JSON.parse((await hearth(['settings', 'list', '--changed', '--json'])).out), {});
});

test('prints the status of a running server', async () => {
  const { out, code } = await hearth(['status']);
  assert.equal(code, 0, out);
  assert.match(out, /^Version +1\.\d+\.\d+ \(.*\)\nServer +running\nDatabase +(sqlite|postgres), /);
  const status = JSON.parse((await hearth(['status', '--json'])).out);
  assert.deepEqual([status.secret_key, status.problems, status.database.pending_migrations], ['ok', [], []]);
  assert.equal(typeof status.queue.due, 'number');
  assert.ok(status.directories.every(({ free_bytes }: Json) => Number(free_bytes) > 0));
});
