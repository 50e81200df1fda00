import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { scratchDirectory } from '#test/engines/scratch.ts';
import {
  ADMIN_TOKEN,
  createFakePrimary,
  type FakePrimary,
  startTestSecondary,
  type TestSecondary,
} from '../world.testing.ts';

// Local responses of a secondary and their access checks (contract/operations.md §3.5, "Serve").

const run = promisify(execFile);

/** Returns the output of a clone of `group/project-1` with this token. */
async function cloned(t: TestContext, { address }: TestSecondary, token: string | null): Promise<string> {
  const directory = await scratchDirectory('hearth-clone-');
  t.after(() => rm(directory, { recursive: true, force: true }));
  const url = new URL(`${address}/group/project-1.git`);
  if (token !== null) Object.assign(url, { username: 'u', password: token });
  const env = { PATH: process.env.PATH, HOME: directory, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
  await run('git', ['clone', '-q', url.href, directory], { env });
  return (await run('git', ['-C', directory, 'log', '--format=%s', 'HEAD'], { env })).stdout.trim();
}

/** Serves git only with this token, and counts the requests of clients for the repository. */
function guard(primary: FakePrimary, token: string): () => number {
  let requestCount = 0;
  primary.intercept = ({ url, headers }, response) => {
    if (!url?.includes('.git/') || headers.authorization?.startsWith('GL-Geo')) return false;
    requestCount++;
    if (headers.authorization === `Basic ${Buffer.from(`u:${token}`).toString('base64')}`) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Primary"' }).end('HTTP Basic: Access denied');
    return true;
  };
  return () => requestCount;
}

async function copied(t: TestContext) {
  const primary = await createFakePrimary(t);
  await primary.commit(1, { 'a.txt': 'a' });
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  return { primary, secondary };
}

test('serves fetches to callers with access at the primary, cached for a minute', async (t) => {
  const { primary, secondary } = await copied(t);
  const countRequests = guard(primary, 'good');
  assert.equal(await cloned(t, secondary, 'good'), 'Change');
  // Git requests first without credentials, then with them.
  assert.equal(countRequests(), 3);
  await primary.close();
  assert.equal(await cloned(t, secondary, 'good'), 'Change');
  const url = `${secondary.address}/group/project-1.git/info/refs?service=git-upload-pack`;
  const authorization = `Basic ${Buffer.from('u:good').toString('base64')}`;
  const answer = await fetch(url, { headers: { authorization } });
  assert.deepEqual([answer.status, answer.headers.get('x-hearth-proxied')], [200, 'false']);
  assert.match(await answer.text(), /refs\/heads\/main/);
  secondary.clock.advance(61);
  assert.equal((await fetch(url, { headers: { authorization } })).status, 503);
});

test('proxies a fetch without access, so that the primary responds', async (t) => {
  const { primary, secondary } = await copied(t);
  guard(primary, 'good');
  await assert.rejects(cloned(t, secondary, 'bad'), /Authentication failed/);
  const answer = await fetch(`${secondary.address}/group/project-1.git/info/refs?service=git-upload-pack`);
  assert.equal(answer.headers.get('www-authenticate'), 'Basic realm="Primary"');
  assert.equal(answer.headers.get('x-hearth-proxied'), 'true');
});

test('proxies fetches of unverified copies and of moved repositories', async (t) => {
  const { primary, secondary } = await copied(t);
  const proxied = async (path: string) => {
    const url = `${secondary.address}/${path}/info/refs?service=git-upload-pack`;
    return (await fetch(url)).headers.get('x-hearth-proxied');
  };
  assert.equal(await proxied('group/project-1.git'), 'false');
  assert.equal(await proxied('group/project-1'), 'false');
  assert.equal(await proxied('Group/Project%2D1'), 'false');
  assert.equal(await proxied('group/project-2.git'), 'true');
  const row = primary.replicables.get('project_repository 1')!;
  primary.replicables.set('project_repository 1', { ...row, path: 'group/renamed' });
  secondary.clock.advance(61);
  assert.equal(await proxied('group/project-1'), 'true');
});

test('proxies pushes and all other repository requests', async (t) => {
  const { secondary } = await copied(t);
  for (const [method, path] of [
    ['GET', 'group/project-1.git/info/refs?service=git-receive-pack'],
    ['GET', 'group/project-1.git/info/refs'],
    ['POST', 'group/project-1.git/git-receive-pack'],
    ['POST', 'group/project-1.git/info/lfs/objects/batch'],
  ] as const) {
    const answer = await fetch(`${secondary.address}/${path}`, { method });
    await answer.body?.cancel();
    assert.equal(answer.headers.get('x-hearth-proxied'), 'true', path);
  }
});

const SITES = [
  { id: 1, name: 'hq', primary: true, current: true },
  { id: 2, name: 'lyon', primary: false, current: false },
];

/** Serves sites only to the administrator. */
function showSites(primary: FakePrimary): void {
  primary.intercept = ({ url, headers }, response) => {
    if (!url?.startsWith('/api/v4/geo_sites')) return false;
    const isAdministrator = headers['private-token'] === ADMIN_TOKEN || url.includes(`private_token=${ADMIN_TOKEN}`);
    const rows = url.includes('/status') ? [{ geo_node_id: 1, health: 'Healthy' }] : SITES;
    response
      .writeHead(isAdministrator ? 200 : 403)
      .end(JSON.stringify(isAdministrator ? rows : { message: '403 Forbidden' }));
    return true;
  };
}

test('serves sites to administrators with its own status, also while the primary is down', async (t) => {
  const { primary, secondary } = await copied(t);
  showSites(primary);
  const get = (path: string, token: string | null = ADMIN_TOKEN) =>
    fetch(
      `${secondary.address}/api/v4/geo_sites${path}`,
      token === null ? {} : { headers: { 'private-token': token } },
    );
  const listed = await get('');
  assert.equal(listed.headers.get('x-hearth-proxied'), 'false');
  assert.equal(listed.headers.get('x-total'), '2');
  assert.deepEqual(
    ((await listed.json()) as typeof SITES).map(({ id, current }) => [id, current]),
    [
      [1, false],
      [2, true],
    ],
  );
  await primary.close();
  assert.deepEqual(((await (await get('/2')).json()) as { name: string }).name, 'lyon');
  assert.equal((await get('?per_page=1&page=2')).headers.get('x-prev-page'), '1');
  assert.equal((await get('/1/status')).status, 200);
  assert.equal((await get('', 'other')).status, 503);
  secondary.clock.advance(61);
  assert.equal((await get('')).status, 503);
});

test('supports HEAD and conditional requests for sites', async (t) => {
  const { primary, secondary } = await copied(t);
  showSites(primary);
  const request = async (method: string, path: string, headers = {}) => {
    const url = `${secondary.address}/api/v4/geo_sites${path}`;
    const answer = await fetch(url, { method, headers: { 'private-token': ADMIN_TOKEN, ...headers } });
    const named = Object.fromEntries(
      ['etag', 'content-length', 'x-hearth-proxied'].map((n) => [n, answer.headers.get(n)]),
    );
    return { status: answer.status, named, text: await answer.text() };
  };
  for (const path of ['', '/2', '/status', '/1/status']) {
    const read = await request('GET', path);
    assert.match(read.named.etag ?? 'none', /^W\/"[0-9a-f]+"$/);
    assert.deepEqual(await request('HEAD', path), { ...read, text: '' });
    const second = await request('GET', path, { 'If-None-Match': read.named.etag });
    assert.deepEqual([second.status, second.named.etag, second.text], [304, read.named.etag, '']);
  }
});

test('proxies site requests of other callers and with unknown parameters', async (t) => {
  const { primary, secondary } = await copied(t);
  showSites(primary);
  const proxied = async (path: string, token: string) => {
    const answer = await fetch(`${secondary.address}/api/v4/geo_sites${path}`, { headers: { 'private-token': token } });
    return [answer.status, answer.headers.get('x-hearth-proxied')];
  };
  assert.deepEqual(await proxied('', 'other'), [403, 'true']);
  assert.deepEqual(await proxied('', ADMIN_TOKEN), [200, 'false']);
  assert.deepEqual(await proxied(`?private_token=${ADMIN_TOKEN}`, ''), [200, 'false']);
  for (const path of ['?per_page=x', '/x', '/3', '?page=0'])
    assert.deepEqual(await proxied(path, ADMIN_TOKEN), [200, 'true'], path);
});

test('a site unknown to its primary keeps its copies and proxies all requests', async (t) => {
  const { primary, secondary } = await copied(t);
  const path = `${secondary.address}/group/project-1.git/info/refs?service=git-upload-pack`;
  assert.equal((await fetch(path)).headers.get('x-hearth-proxied'), 'false');
  primary.intercept = ({ url }, response) => {
    if (!url?.startsWith('/api/v4/geo/')) return false;
    response.writeHead(401).end('{"message":"401 Unauthorized"}');
    return true;
  };
  await secondary.pollOnce();
  assert.equal((await fetch(path)).headers.get('x-hearth-proxied'), 'true');
  assert.equal((await secondary.listRegistryRows()).length, 1);
  primary.intercept = null;
  await secondary.pollOnce();
  assert.equal((await fetch(path)).headers.get('x-hearth-proxied'), 'false');
});

test('counts proxied and local requests for the status', async (t) => {
  const { primary, secondary } = await copied(t);
  await cloned(t, secondary, null);
  await fetch(`${secondary.address}/api/v4/version`);
  await fetch(`${secondary.address}/group/project-1.git/git-receive-pack`, { method: 'POST' });
  await secondary.pollOnce();
  await secondary.report();
  const { status } = primary.reports[0] as { status: Record<string, number> };
  assert.equal(status.git_fetch_event_count_weekly, 1);
  assert.equal(status.git_push_event_count_weekly, 1);
  assert.equal(status.proxy_remote_requests_event_count_weekly, 2);
  assert.equal(status.proxy_local_requests_event_count_weekly, 3);
});
