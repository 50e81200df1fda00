import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSite, proof } from '#test/support/replication-sites.ts';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world({ env: { HEARTH_SITE_NAME: 'hq' } });
const { root, anonymous, clock, newProject } = here;
const primary = (await expectSuccess(root.post('/geo_sites', { name: 'hq', url: 'https://hq.test', primary: true })))
  .body;
const site = await newSite(here);

const ROUTES = [
  ['POST', '/geo/status'],
  ['GET', '/geo/site'],
  ['GET', '/geo/replicables'],
  ['GET', '/geo/events'],
  ['GET', '/geo/retrieve/lfs_object/1'],
] as const;
const DENIED = { message: '401 Unauthorized' };

const getWithHeaders = async (headers: Record<string, string>, path = '/geo/site') => {
  const { status, body } = await anonymous.get(path, {}, headers);
  return status === 200 ? 200 : body;
};

test('the endpoints for sites reject all other callers', async () => {
  for (const [method, path] of ROUTES) {
    assert.deepEqual((await anonymous.send(method, path)).body, DENIED);
    assert.deepEqual((await root.send(method, path)).body, DENIED);
  }
  assert.equal(await getWithHeaders(site.proof()), 200);
});

test('rejects tokens that the site has not signed', async () => {
  const now = Math.floor(clock.now().getTime() / 1000);
  const api = { scope: 'geo_api' };
  const stranger = { ...site, access_key: 'x'.repeat(20) };
  const forger = { ...site, secret_access_key: 'x'.repeat(40) };
  assert.deepEqual(await getWithHeaders(proof(stranger, api, { at: now })), DENIED);
  assert.deepEqual(await getWithHeaders(proof(forger, api, { at: now })), DENIED);
  assert.deepEqual(await getWithHeaders(site.proof(api, { alg: 'none' })), DENIED);
  assert.deepEqual(await getWithHeaders(site.proof(api, { claims: { data: api } })), DENIED);
  assert.deepEqual(await getWithHeaders(site.proof(api, { claims: { data: '[' } })), DENIED);
  assert.deepEqual(await getWithHeaders(site.proof(api, { claims: { exp: 'never' } })), DENIED);
  assert.deepEqual(await getWithHeaders(site.proof({ scope: 'other' })), DENIED);
  assert.deepEqual(await getWithHeaders(site.proof({})), DENIED);
  const { Authorization: right } = site.proof();
  for (const header of [
    'GL-Geo',
    'GL-Geo ',
    'GL-Geo a',
    'GL-Geo a:b',
    'GL-Geo a:b.c.d',
    right.slice(0, -2),
    `${right}.x`,
  ])
    assert.deepEqual(await getWithHeaders({ Authorization: header }), DENIED, header);
});

test('accepts clocks that differ by up to a minute', async () => {
  const now = Math.floor(clock.now().getTime() / 1000);
  const api = { scope: 'geo_api' };
  const late = { message: 'Signature not within leeway of 60 seconds. Check your system clocks!' };
  assert.equal(await getWithHeaders(site.proof(api, { at: now + 60 })), 200);
  assert.deepEqual(await getWithHeaders(site.proof(api, { at: now + 61 })), late);
  assert.equal(await getWithHeaders(site.proof(api, { at: now - 119 })), 200);
  assert.deepEqual(await getWithHeaders(site.proof(api, { at: now - 120 })), late);
});

test('a token is valid for at most a minute, or two hours for a fetch', async () => {
  const now = Math.floor(clock.now().getTime() / 1000);
  const api = { scope: 'geo_api' };
  for (const claims of [{ exp: 1e308 }, { iat: -1e308, exp: now + 60 }, { iat: now - 60, exp: now + 1 }])
    assert.deepEqual(await getWithHeaders(site.proof(api, { claims })), DENIED, JSON.stringify(claims));
  assert.deepEqual(await getWithHeaders(site.proof(api, { lifetime: 61 })), DENIED);
  const { refs } = await replicated();
  assert.equal(await refs({ lifetime: 7_200 }), 200);
  assert.equal(await refs({ lifetime: 7_201 }), 401);
});

test('accepts a token once, also of several concurrent requests', async () => {
  const used = site.proof();
  assert.equal(await getWithHeaders(used), 200);
  assert.deepEqual(await getWithHeaders(used), DENIED);
  clock.advance(100);
  assert.deepEqual(await getWithHeaders(used), DENIED);
  const same = site.proof();
  const answers = await Promise.all(Array.from({ length: 8 }, () => getWithHeaders(same)));
  assert.equal(answers.filter((answer) => answer === 200).length, 1);
  const other = await newSite(here);
  const claims = { jti: 'chosen by two sites' };
  assert.equal(await getWithHeaders(site.proof({ scope: 'geo_api' }, { claims })), 200);
  assert.equal(await getWithHeaders(other.proof({ scope: 'geo_api' }, { claims })), 200);
});

test('a token of a fetch starts one fetch, whose later requests have the same', async () => {
  const { path, refs, proved } = await replicated();
  assert.equal(await refs({}), 200);
  const headers = proved({});
  const address = `${here.server.address}/${path}.git`;
  const start = () => fetch(`${address}/info/refs?service=git-upload-pack`, { headers });
  assert.equal((await start()).status, 200);
  for (let round = 0; round < 2; round++) {
    const type = { 'Content-Type': 'application/x-git-upload-pack-request' };
    const sent = await fetch(`${address}/git-upload-pack`, {
      method: 'POST',
      headers: { ...headers, ...type },
      body: '0000',
    });
    assert.equal(sent.status, 200);
  }
  assert.equal((await start()).status, 401);
});

test('stores tokens only while they are valid', async () => {
  const count = async () =>
    (await here.server.services.database.reader.selectFrom('geo_site_proofs').selectAll().execute()).length;
  await site.get('/geo/site');
  assert.ok((await count()) > 1);
  clock.advance(7_200 + 120);
  await site.get('/geo/site');
  assert.equal(await count(), 1);
});

/** A private project whose refs the site reads. */
async function replicated() {
  const project = await newProject({ readme: true });
  const path = project.path_with_namespace;
  const proved = (signing: object) => site.proof({ scope: path }, signing);
  const refs = async (signing: object) => {
    const url = `${here.server.address}/${path}.git/info/refs?service=git-upload-pack`;
    return (await fetch(url, { headers: proved(signing) })).status;
  };
  return { path, proved, refs };
}

test('accepts sites only from the allowed IP addresses', async () => {
  await expectSuccess(root.put('/application/settings', { geo_node_allowed_ips: '10.0.0.0/8' }));
  assert.deepEqual(await getWithHeaders(site.proof()), DENIED);
  await expectSuccess(root.put('/application/settings', { geo_node_allowed_ips: '10.0.0.0/8, 127.0.0.1' }));
  assert.equal(await getWithHeaders(site.proof()), 200);
});

test('other endpoints ignore a site token: it neither grants nor denies access', async () => {
  const { at } = await newProject({ visibility: 'public' });
  assert.equal((await anonymous.get(at)).status, 200);
  assert.equal(await getWithHeaders(site.proof(), at), 200);
  assert.deepEqual(await getWithHeaders(site.proof(), '/user'), DENIED);
  const wrongWay = { message: '400 Bad request' };
  for (const [method, path] of [
    ['GET', '/geo_sites'],
    ['POST', '/geo_sites'],
    ['GET', site.at],
    ['DELETE', site.at],
    ['GET', '/geo_nodes/status'],
    ['POST', `${site.at}/credentials`],
  ] as const) {
    const answer = await site.send(method, path);
    assert.deepEqual([answer.status, answer.body], [400, wrongWay], path);
  }
});

test('a site can disable and enable only itself', async () => {
  const other = await newSite(here);
  assert.equal(
    (await expectSuccess(site.send('PUT', site.at, { enabled: false, name: 'renamed' }))).body.enabled,
    false,
  );
  assert.deepEqual((await root.get(site.at)).body.name, site.name);
  assert.deepEqual(await getWithHeaders(site.proof(), '/geo/events'), DENIED);
  const { site: paused, primary: followed, storages } = (await expectSuccess(site.get('/geo/site'))).body;
  assert.deepEqual([paused.enabled, followed], [false, { name: 'hq', url: 'https://hq.test/' }]);
  assert.deepEqual(storages, ['default']);
  assert.equal((await expectSuccess(site.send('PUT', site.at, { enabled: true }))).body.enabled, true);
  assert.equal(await getWithHeaders(site.proof(), '/geo/events'), 200);
  assert.deepEqual((await site.send('PUT', other.at, { enabled: false })).body, { message: '403 Forbidden' });
  const refusal = await site.send('PUT', `/geo_sites/${primary.id}`, { enabled: false });
  assert.deepEqual(refusal.body, { message: { enabled: ['Geo primary node cannot be disabled'] } });
});

test('new credentials invalidate the old ones, and no secret is stored in plain text', async () => {
  const old = await newSite(here);
  const fresh = (await expectSuccess(root.post(`${old.at}/credentials`))).body;
  assert.match(fresh.access_key, /^[\w-]{20}$/);
  assert.match(fresh.secret_access_key, /^[\w-]{40}$/);
  assert.deepEqual(await getWithHeaders(old.proof()), DENIED);
  const at = Math.floor(clock.now().getTime() / 1000);
  assert.equal(await getWithHeaders(proof(fresh, { scope: 'geo_api' }, { at })), 200);
  const rows = await here.server.services.database.reader.selectFrom('geo_sites').selectAll().execute();
  assert.equal(JSON.stringify(rows).includes(fresh.secret_access_key), false);
});
