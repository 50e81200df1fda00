import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSite } from '#test/support/replication-sites.ts';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world({ env: { HEARTH_SITE_NAME: 'hq', HEARTH_EXTERNAL_URL: 'https://hq.example' } });
const { root, anonymous, user, name, newGroup } = here;

const add = async (params: object = {}) => {
  const site = name('site');
  return (await expectSuccess(root.post('/geo_sites', { name: site, url: `https://${site}.test`, ...params }))).body;
};
const ANY = { name: 'any', url: 'https://any.test' };

test('a new instance has no sites, and only administrators can list them', async () => {
  assert.deepEqual((await root.get('/geo_sites')).body, []);
  assert.deepEqual((await root.get('/geo_sites/status')).body, []);
  const somebody = await user();
  for (const path of ['geo_sites', 'geo_nodes']) {
    for (const [method, at] of [
      ['GET', `/${path}`],
      ['POST', `/${path}`],
      ['GET', `/${path}/status`],
      ['GET', `/${path}/9999`],
      ['PUT', `/${path}/9999`],
      ['DELETE', `/${path}/9999`],
      ['POST', `/${path}/9999/repair`],
      ['GET', `/${path}/9999/status`],
    ] as const) {
      assert.deepEqual((await anonymous.send(method, at)).body, { message: '401 Unauthorized' });
      assert.deepEqual((await somebody.send(method, at)).body, { message: '403 Forbidden' });
    }
  }
  assert.equal((await anonymous.post('/geo_sites/9999/credentials')).status, 401);
  assert.equal((await somebody.post('/geo_sites/9999/credentials')).status, 403);
  assert.deepEqual((await root.get('/geo_sites/9999')).body, { message: '404 Not found' });
  assert.deepEqual((await root.get('/geo_sites/abc')).body, { error: 'id is invalid' });
});

test('returns a secondary with its defaults, under both API names', async () => {
  const { body } = await expectSuccess(root.post('/geo_sites', { name: ' lyon ', url: 'https://lyon.example' }));
  const at = `https://hq.example/api/v4/geo_sites/${body.id}`;
  const site = {
    id: body.id,
    name: 'lyon',
    url: 'https://lyon.example/',
    internal_url: 'https://lyon.example/',
    primary: false,
    enabled: true,
    current: false,
    files_max_capacity: 10,
    repos_max_capacity: 25,
    verification_max_capacity: 100,
    container_repositories_max_capacity: 10,
    selective_sync_type: null,
    selective_sync_shards: [],
    selective_sync_namespace_ids: [],
    minimum_reverification_interval: 90,
    sync_object_storage: false,
    web_edit_url: `https://hq.example/admin/geo/sites/${body.id}/edit`,
    web_geo_replication_details_url: `https://lyon.example/admin/geo/sites/${body.id}/replication/lfs_objects`,
  };
  assert.deepEqual(body, { ...site, _links: { self: at, status: `${at}/status`, repair: `${at}/repair` } });
  const old = at.replace('geo_sites', 'geo_nodes');
  assert.deepEqual((await root.get(`/geo_nodes/${body.id}`)).body, {
    ...site,
    clone_protocol: 'http',
    _links: { self: old, status: `${old}/status`, repair: `${old}/repair` },
  });
});

test('returns all missing parameters at once, and all validation errors at once', async () => {
  assert.deepEqual((await root.post('/geo_sites')).body, { error: 'name is missing, url is missing' });
  await add({ name: 'Taken' });
  const wrong = {
    name: 'tAKEN',
    url: '',
    internal_url: 'ftp://a.test',
    files_max_capacity: -1,
    repos_max_capacity: -1,
    verification_max_capacity: -1,
    container_repositories_max_capacity: -1,
    minimum_reverification_interval: 0,
    selective_sync_type: 'wrong',
  };
  const answer = await root.post('/geo_sites', wrong);
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.message, {
    name: ['has already been taken'],
    url: ["can't be blank", 'must be a valid URL'],
    internal_url: ['is blocked: Only allowed schemes are http, https'],
    files_max_capacity: ['must be greater than or equal to 0'],
    repos_max_capacity: ['must be greater than or equal to 0'],
    verification_max_capacity: ['must be greater than or equal to 0'],
    container_repositories_max_capacity: ['must be greater than or equal to 0'],
    minimum_reverification_interval: ['must be greater than or equal to 1'],
    selective_sync_type: ['is not included in the list'],
  });
});

test('returns the error message of each invalid value', async () => {
  const getMessage = async (params: object) => (await root.post('/geo_sites', { ...ANY, ...params })).body.message;
  assert.deepEqual(await getMessage({ name: '  ' }), { name: ["can't be blank"] });
  assert.deepEqual(await getMessage({ name: 'x'.repeat(256) }), { name: ['is too long (maximum is 255 characters)'] });
  for (const url of ['a.test', 'ftp://a.test', 'a.test:80', 'javascript:alert(1)']) {
    assert.deepEqual(await getMessage({ url }), { url: ['is blocked: Only allowed schemes are http, https'] }, url);
  }
  for (const url of ['https://', 'http://[a', 'http:a.test', 'http://a.te\tst', 'http://a.test/\r\nX: b']) {
    assert.deepEqual(await getMessage({ url }), { url: ['must be a valid URL'] }, url);
  }
  assert.deepEqual(await getMessage({ primary: true, enabled: false }), {
    enabled: ['Geo primary node cannot be disabled'],
  });
  for (const own of ['hq', 'hq/']) {
    assert.deepEqual(await getMessage({ name: own }), {
      base: ['Current node must be the primary node or you will be locking yourself out'],
    });
  }
  assert.equal(await getMessage({ selective_sync_namespace_ids: [999_999] }), '404 Not found');
  assert.equal(
    (await root.get('/geo_sites')).body.some((site: { name: string }) => site.name === 'any'),
    false,
  );
});

test('one site is the primary, and stays enabled', async () => {
  const { body: primary } = await expectSuccess(
    root.post('/geo_sites', { name: 'HQ', url: 'https://hq.example', primary: true }),
  );
  const renamed = await root.put(`/geo_sites/${primary.id}`, { name: 'hq/' });
  assert.equal(renamed.body.current, true);
  assert.equal('sync_object_storage' in renamed.body || 'web_geo_replication_details_url' in renamed.body, false);
  assert.equal(primary.sync_object_storage, false);
  const second = await root.post('/geo_sites', { ...ANY, primary: true });
  assert.deepEqual(second.body, { message: { primary: ['node already exists'] } });
  const disabled = await root.put(`/geo_sites/${primary.id}`, { enabled: false });
  assert.deepEqual(disabled.body, { message: { enabled: ['Geo primary node cannot be disabled'] } });
  assert.equal((await root.put(`/geo_sites/${primary.id}`, { primary: false })).body.primary, true);
  const refusal = await root.post(`/geo_sites/${primary.id}/credentials`);
  assert.deepEqual(refusal.body, { message: '400 Bad request - Primary site has no credentials' });
});

test('of two concurrent sites with one name exactly one is created', async () => {
  const twin = { ...ANY, name: name('twin') };
  const answers = await Promise.all([root.post('/geo_sites', twin), root.post('/geo_sites', twin)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
  const { body } = answers.find(({ status }) => status === 400)!;
  assert.deepEqual(body, { message: { name: ['has already been taken'] } });
});

test('an update changes only the fields that it names', async () => {
  const group = await newGroup();
  const { id } = await add();
  const update = async (params: Record<string, unknown>) =>
    (await expectSuccess(root.put(`/geo_sites/${id}`, params))).body;
  const first = await update({ selective_sync_type: 'namespaces', selective_sync_namespace_ids: `${group.id}` });
  assert.deepEqual([first.selective_sync_type, first.selective_sync_namespace_ids], ['namespaces', [group.id]]);
  assert.equal((await update({ repos_max_capacity: 0 })).selective_sync_type, 'namespaces');
  assert.equal((await root.put(`/geo_sites/${id}`, { selective_sync_namespace_ids: [0] })).status, 404);
  const cleared = await update({ selective_sync_type: null, selective_sync_namespace_ids: [] });
  assert.deepEqual([cleared.selective_sync_type, cleared.selective_sync_namespace_ids], [null, []]);
  assert.equal((await update({ selective_sync_type: '' })).selective_sync_type, null);
  const { selective_sync_shards } = await update({ selective_sync_shards: 'default, nowhere' });
  assert.deepEqual(selective_sync_shards, ['default', 'nowhere']);
  assert.equal((await update({ internal_url: 'http://10.0.0.1' })).internal_url, 'http://10.0.0.1/');
  const { url, internal_url } = await update({ url: 'https://new.test/a//' });
  assert.deepEqual([url, internal_url], ['https://new.test/a/', 'http://10.0.0.1/']);
  assert.equal((await update({ internal_url: 'https://new.test/a' })).internal_url, 'https://new.test/a/');
  assert.equal((await update({ url: 'https://moved.test' })).internal_url, 'https://moved.test/');
});

const applications = async () => (await root.get('/applications', { per_page: 100 })).body;

test('a secondary has an OAuth application, which a repair creates again', async () => {
  const { id } = await add({ url: 'https://repaired.test' });
  const own = async () =>
    (await applications()).filter(({ application_name }: { application_name: string }) =>
      /^Geo node: https:\/\/repaired/.test(application_name),
    );
  const [application] = await own();
  assert.equal(application.callback_url, 'https://repaired.test/oauth/geo/callback');
  await expectSuccess(root.put(`/geo_sites/${id}`, { url: 'https://repaired.example' }));
  const [renamed] = await own();
  assert.deepEqual(
    [renamed.id, renamed.application_name, renamed.callback_url],
    [application.id, 'Geo node: https://repaired.example/', 'https://repaired.example/oauth/geo/callback'],
  );
  assert.equal((await root.delete(`/applications/${application.id}`)).status, 204);
  const repaired = await root.post(`/geo_sites/${id}/repair`);
  assert.equal(repaired.status, 200);
  const { geo_node_id, missing_oauth_application, healthy, health, health_status } = repaired.body;
  assert.deepEqual(
    [geo_node_id, missing_oauth_application, healthy, health, health_status],
    [id, false, false, '', 'Unhealthy'],
  );
  assert.equal((await own()).length, 1);
  assert.equal((await root.post(`/geo_sites/${id}/repair`)).status, 200);
  assert.equal((await own()).length, 1);
});

test('deleting a site deletes its credentials and its application', async () => {
  const site = await newSite(here);
  assert.equal((await site.get('/geo/site')).status, 200);
  const before = (await applications()).length;
  assert.equal((await root.delete(site.at)).status, 204);
  assert.deepEqual((await root.delete(site.at)).body, { message: '404 Not found' });
  assert.deepEqual((await site.get('/geo/site')).body, { message: '401 Unauthorized' });
  assert.equal((await applications()).length, before - 1);
});
