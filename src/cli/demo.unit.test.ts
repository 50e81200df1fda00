import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runInProcess, startHearth, temporaryDirectory } from './process.testing.ts';

/** Runs `hearth demo` until it prints the sign-ins. Returns the address and the password. */
async function startDemo(t: TestContext, dataDir: string) {
  const child = startHearth(['demo', '--until', '2026-06-30'], { HEARTH_DATA_DIR: dataDir, HEARTH_PORT: '0' });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const printed = Promise.withResolvers<void>();
  child.stdout!.on('data', () => /Ctrl-C/.test(output) && printed.resolve());
  child.once('close', () => printed.reject(new Error(output)));
  await printed.promise;
  assert.ok(output.includes(`with the same data: HEARTH_DATA_DIR="${dataDir}" hearth serve\n`), output);
  const [, address = '', password = ''] = /Open (\S+) and .* password is (\S+)/.exec(output) ?? [];
  return { address, password, users: [...output.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name!) };
}

/** Signs in with the form of the web page. Returns the cookie of the session. */
async function signIn(address: string, login: string, password: string): Promise<string> {
  const page = await waitForPage(`${address}/users/sign_in`);
  const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
  const token = /name="authenticity_token" value="([^"]+)"/.exec(await page.text())![1]!;
  const signedIn = await fetch(`${address}/users/sign_in`, {
    method: 'POST',
    headers: { Cookie: cookie },
    body: new URLSearchParams({ authenticity_token: token, 'user[login]': login, 'user[password]': password }),
    redirect: 'manual',
  });
  assert.equal(signedIn.status, 302, await signedIn.text());
  return signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** Returns the page as soon as the server that runs on listens. */
async function waitForPage(url: string): Promise<Response> {
  for (;;) {
    const page = await fetch(url).catch(() => null);
    if (page !== null) return page;
  }
}

test('creates the same company each time, whose people can sign in', async (t) => {
  const { address, password, users } = await startDemo(t, await temporaryDirectory(t));
  assert.deepEqual(users, ['root', 'ingrid', 'samir']);
  const cookies: Record<string, string> = {};
  for (const user of users) cookies[user] = await signIn(address, user, password);
  // biome-ignore lint/suspicious/noExplicitAny: few fields of many responses
  const get = async (path: string, user = 'ingrid'): Promise<any> => {
    const response = await fetch(`${address}/api/v4${path}`, { headers: { Cookie: cookies[user]! } });
    assert.equal(response.status, 200, path);
    return response.json();
  };
  for (const user of users) assert.equal((await get('/user', user)).username, user);
  const heads: Record<string, string> = {};
  for (const { id, path_with_namespace: path } of await get('/projects?order_by=id&sort=asc')) {
    heads[path] = (await get(`/projects/${id}/repository/branches/main`)).commit.short_id;
    const count = async (list: string) => (await get(`/projects/${id}/${list}`)).length;
    assert.ok((await count('pipelines?status=success')) > 4, path);
    assert.ok((await count('merge_requests?state=merged')) > 2, path);
    assert.ok((await count('merge_requests?state=opened')) > 0, path);
    assert.ok((await count('issues?state=opened')) > 1, path);
    assert.equal(await count('pipelines?status=pending'), 0, path);
  }
  assert.deepEqual(heads, {
    'stoves/controller': 'e2cea1b5',
    'online/shop': '459cd4a1',
    'online/handbook': '8eccc7f7',
  });
});

test('refuses a directory with data, another database and an invalid date', async (t) => {
  const dataDir = await temporaryDirectory(t);
  await writeFile(join(dataDir, 'file'), '');
  const cases: [string[], Record<string, string>, RegExp, number][] = [
    [['demo'], { HEARTH_DATA_DIR: dataDir }, /is not empty\. Set HEARTH_DATA_DIR to an empty directory/, 1],
    [['demo'], { HEARTH_DATABASE_URL: 'postgres://127.0.0.1/x' }, /Unset HEARTH_DATABASE_URL/, 1],
    [['demo', '--until', '2026-13-01'], {}, /2026-13-01 is not a date such as 2026-06-30\. See hearth demo --help/, 2],
  ];
  for (const [args, env, message, code] of cases) {
    const result = await runInProcess(args, env);
    assert.match(result.err, message);
    assert.equal(result.code, code);
  }
});
