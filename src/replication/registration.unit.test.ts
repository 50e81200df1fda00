import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, loadConfig } from '#config.ts';
import { testPlace } from '#test/engines/engine.ts';
import { startSecondary } from './index.ts';
import { getIdentityPath } from './registration.ts';
import { ADMIN_TOKEN, createFakePrimary, type FakePrimary, SITE_KEYS, startTestSecondary } from './world.testing.ts';

// Registration of a secondary at its primary (contract/operations.md §3.5, "Register").

interface Row {
  readonly id: number;
  readonly name: string;
  readonly primary: boolean;
  readonly url?: string;
}

/** Serves site endpoints for the administrator, and issues the keys that the primary accepts. */
function keepSites(primary: FakePrimary, sites: Row[]): void {
  primary.intercept = (request, response) => {
    if (!request.url?.startsWith('/api/v4/geo_sites')) return false;
    const json = (status: number, value: unknown) => void response.writeHead(status).end(JSON.stringify(value));
    if (request.headers['private-token'] !== ADMIN_TOKEN) json(401, { message: '401 Unauthorized' });
    else if (request.method === 'GET') json(200, sites);
    else if (request.url.endsWith('/credentials')) {
      json(201, { access_key: SITE_KEYS.accessKey, secret_access_key: SITE_KEYS.secret });
    } else {
      request.toArray().then((chunks) => {
        const { name, url } = JSON.parse(Buffer.concat(chunks).toString()) as { name: string; url: string };
        sites.push({ id: 2, name, url, primary: false });
        json(201, sites.at(-1));
      });
    }
    return true;
  };
}

const HQ = { id: 1, name: 'hq', primary: true };
const byAdministrator = { env: { HEARTH_PRIMARY_TOKEN: ADMIN_TOKEN, HEARTH_EXTERNAL_URL: 'https://lyon.example' } };

test('registers with the token of an administrator, and stores the keys but not the token', async (t) => {
  const primary = await createFakePrimary(t);
  const sites: Row[] = [HQ];
  keepSites(primary, sites);
  const secondary = await startTestSecondary(t, primary.url, byAdministrator);
  await secondary.pollOnce();
  assert.deepEqual(sites.at(-1), { id: 2, name: 'lyon', url: 'https://lyon.example', primary: false });
  const asked = primary.requests.length;
  const restarted = await secondary.restart();
  await restarted.pollOnce();
  assert.ok(!primary.requests.slice(asked).some((path) => path.includes('geo_sites')));
  assert.ok(!restarted.getLogText().includes(ADMIN_TOKEN) && !restarted.getLogText().includes(SITE_KEYS.secret));
  for (const name of await readdir(restarted.dataDir)) {
    const path = join(restarted.dataDir, name);
    if (!(await stat(path)).isFile()) continue;
    const content = await readFile(path, 'latin1');
    for (const secret of [ADMIN_TOKEN, SITE_KEYS.secret, SITE_KEYS.accessKey])
      assert.ok(!content.includes(secret), name);
  }
  assert.equal((await stat(getIdentityPath(restarted.dataDir))).mode & 0o077, 0);
});

test('reuses an existing site, ignoring the case of its name', async (t) => {
  const primary = await createFakePrimary(t);
  const sites: Row[] = [HQ, { id: 2, name: 'Lyon', primary: false }];
  keepSites(primary, sites);
  await (await startTestSecondary(t, primary.url, byAdministrator)).pollOnce();
  assert.equal(sites.length, 2);
  assert.ok(primary.requests.includes('POST /api/v4/geo_sites/2/credentials'));
});

test('retries if the primary is down or has no primary site yet', async (t) => {
  const primary = await createFakePrimary(t);
  const sites: Row[] = [];
  keepSites(primary, sites);
  const secondary = await startTestSecondary(t, primary.url, byAdministrator);
  assert.equal((await fetch(`${secondary.address}/-/readiness`)).status, 200);
  await primary.close();
  await secondary.pollOnce();
  await primary.open();
  await secondary.pollOnce();
  assert.equal(sites.length, 0);
  sites.push(HQ);
  await secondary.pollOnce();
  assert.equal(sites.length, 2);
  assert.ok(primary.requests.includes('GET /api/v4/geo/site'));
});

test('exits with code 78 without an identity and a token', async () => {
  await using place = await testPlace('empty');
  const config = loadConfig({
    HEARTH_ROLE: 'secondary',
    HEARTH_PRIMARY_URL: 'http://127.0.0.1:1',
    HEARTH_DATA_DIR: place.dataDir,
    HEARTH_PORT: '0',
  });
  await assert.rejects(startSecondary(config, { runInBackground: false }), (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.exitCode, 78);
    return /^HEARTH_PRIMARY_TOKEN must be set until this site has registered/.test(error.message);
  });
});

test('refuses to start as a secondary on a database with users', async () => {
  await using place = await testPlace('started');
  const config = loadConfig({
    HEARTH_ROLE: 'secondary',
    HEARTH_PRIMARY_URL: 'http://127.0.0.1:1',
    HEARTH_PRIMARY_TOKEN: ADMIN_TOKEN,
    HEARTH_DATA_DIR: place.dataDir,
  });
  await assert.rejects(
    startSecondary(config, { runInBackground: false }),
    /^ConfigError: HEARTH_ROLE must not be secondary/,
  );
});

test('rejects an identity that was encrypted with another key', async (t) => {
  const primary = await createFakePrimary(t);
  const secondary = await startTestSecondary(t, primary.url);
  await secondary.pollOnce();
  await secondary.stop();
  await rm(join(secondary.dataDir, 'secret-key'));
  await assert.rejects(secondary.restart(), /site-identity was not written with this secret key/);
  await writeFile(getIdentityPath(secondary.dataDir), 'nonsense');
  await assert.rejects(secondary.restart(), ConfigError);
});
