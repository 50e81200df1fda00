import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { newSite } from '#test/support/replication-sites.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { REPLICABLE_KINDS } from './status.ts';

const here = await world({ env: { HEARTH_EXTERNAL_URL: 'https://hq.example' } });
const { root, clock, newGroup, newProject, runJobs } = here;
const primary = (
  await expectSuccess(
    root.post('/geo_sites', { name: 'https://hq.example/', url: 'https://hq.example', primary: true }),
  )
).body;
const site = await newSite(here);

const statusOf = async (id: number, path = 'geo_sites') =>
  (await expectSuccess(root.get(`/${path}/${id}/status`))).body;

test('a site that has not reported has no status', async () => {
  const silent = await newSite(here);
  const answer = await root.get(`${silent.at}/status`, { refresh: true });
  assert.deepEqual([answer.status, answer.body], [404, { message: '404 Status for Geo site not found Not Found' }]);
  const ids = (await root.get('/geo_sites/status')).body.map((one: { geo_node_id: number }) => one.geo_node_id);
  assert.deepEqual(ids, [primary.id]);
});

test('the primary counts its objects, and has no registry', async () => {
  const { owner, at, repository } = await newProject({ readme: true });
  await newProject({});
  await site.get('/geo/replicables', { replicable_name: 'project_repository' });
  await runJobs();
  const status = await statusOf(primary.id);
  const all = (await root.get('/projects', { per_page: 100 })).body.length;
  assert.deepEqual(
    [status.projects_count, status.repositories_count, status.project_repositories_count],
    [all, all, all],
  );
  assert.equal(status.project_repositories_checksummed_count, all);
  await expectSuccess(owner.post(`${repository}/branches`, { branch: 'more', ref: 'main' }));
  const after = await statusOf(primary.id);
  assert.deepEqual(
    [after.project_repositories_checksum_total_count, after.project_repositories_checksummed_count],
    [all, all - 1],
  );
  assert.equal(after.last_event_timestamp > 0 && after.last_event_id > status.last_event_id, true, at);
  for (const kind of REPLICABLE_KINDS) {
    const of = (what: string) => status[`${kind}_${what}`];
    assert.deepEqual([of('checksum_failed_count'), typeof of('count')], [0, 'number'], kind);
    for (const what of ['synced', 'failed', 'registry', 'verification_total', 'verified', 'verification_failed'])
      assert.equal(of(`${what}_count`), null);
    assert.deepEqual([of('synced_in_percentage'), of('verified_in_percentage')], ['0.00%', '0.00%']);
  }
});

test('returns the other fields of the status of the primary', async () => {
  const status = await statusOf(primary.id);
  const at = `https://hq.example/api/v4/geo_sites/${primary.id}`;
  const rest = {
    container_repositories_replication_enabled: null,
    git_fetch_event_count_weekly: null,
    repositories_checked_in_percentage: '0.00%',
    replication_slots_max_retained_wal_bytes: 0,
    healthy: true,
    health: 'Healthy',
    health_status: 'Healthy',
    missing_oauth_application: false,
    db_replication_lag_seconds: null,
    repositories_checked_count: null,
    cursor_last_event_id: null,
    cursor_last_event_timestamp: 0,
    namespaces: [],
    storage_shards_match: true,
    _links: { self: `${at}/status`, site: at },
  };
  for (const [name, value] of Object.entries(rest)) assert.deepEqual(status[name], value, name);
  const { _links } = await statusOf(primary.id, 'geo_nodes');
  const node = `https://hq.example/api/v4/geo_nodes/${primary.id}`;
  assert.deepEqual(_links, { self: `${node}/status`, node });
});

const REPORT = {
  status_message: '',
  db_replication_lag_seconds: '7',
  last_event_id: 9,
  last_event_date: '2026-02-03T09:20:42Z',
  cursor_last_event_id: 8,
  cursor_last_event_date: '2026-02-03T09:20:00.900Z',
  version: '18.9.0',
  revision: '1a2b3c4',
  storage_configuration_digest: createHash('sha256').update('default').digest('hex'),
  unknown: 'ignored',
  status: {
    projects_count: '3',
    project_repositories_registry_count: 3,
    project_repositories_synced_count: 1,
    project_repositories_verified_count: '2',
    project_repositories_checksummed_count: 3,
    git_fetch_event_count_weekly: 5,
    container_repositories_replication_enabled: true,
    nonsense: {},
  },
};

const report = (params: object = {}) =>
  site.send('POST', '/geo/status', { geo_node_id: site.id, ...REPORT, ...params });

test('stores the report of a secondary without its checksum counts', async () => {
  const { status, body } = await report();
  assert.equal(status, 201);
  assert.deepEqual(body, await statusOf(site.id));
  const reported = {
    projects_count: 3,
    repositories_count: 3,
    project_repositories_count: 3,
    project_repositories_checksummed_count: null,
    project_repositories_synced_in_percentage: '33.33%',
    project_repositories_verified_in_percentage: '66.67%',
    lfs_objects_count: null,
    git_fetch_event_count_weekly: 5,
    container_repositories_replication_enabled: true,
    replication_slots_count: null,
    replication_slots_used_in_percentage: '0.00%',
    db_replication_lag_seconds: 7,
    last_event_timestamp: 1770110442,
    cursor_last_event_timestamp: 1770110400,
    cursor_last_event_id: 8,
    version: '18.9.0',
    storage_shards_match: true,
    healthy: true,
    health_status: 'Healthy',
  };
  for (const [name, value] of Object.entries(reported)) assert.deepEqual(body[name], value, name);
  const slots = await statusOf(primary.id);
  assert.deepEqual(
    [slots.replication_slots_used_count, slots.replication_slots_used_in_percentage],
    [1, `${(100 / slots.replication_slots_count).toFixed(2)}%`],
  );
});

test('a site is healthy for an hour after its report, unless it reports an error', async () => {
  const ill = await report({ status_message: 'Storage storage2 is not writable', storage_configuration_digest: 'x' });
  const { healthy, health, health_status, storage_shards_match } = ill.body;
  assert.deepEqual(
    [healthy, health, health_status, storage_shards_match],
    [false, 'Storage storage2 is not writable', 'Unhealthy', false],
  );
  await report({ status_message: 'Healthy' });
  assert.equal((await statusOf(site.id)).healthy, true);
  clock.advance(3601);
  const late = await statusOf(site.id);
  assert.deepEqual([late.healthy, late.health, late.health_status], [false, 'Healthy', 'Unhealthy']);
});

test('the status has the current fields of the site', async () => {
  const group = await newGroup();
  await expectSuccess(
    root.put(site.at, { selective_sync_type: 'namespaces', selective_sync_namespace_ids: [group.id] }),
  );
  const [application] = (await root.get('/applications')).body.filter((one: { application_name: string }) =>
    one.application_name.includes(site.name),
  );
  await expectSuccess(root.delete(`/applications/${application.id}`));
  const status = await statusOf(site.id);
  assert.deepEqual([status.selective_sync_type, status.missing_oauth_application], ['namespaces', true]);
  assert.deepEqual(
    status.namespaces.map(({ full_path }: { full_path: string }) => full_path),
    [group.full_path],
  );
});

test('a site can report only its own status', async () => {
  assert.deepEqual((await report({ geo_node_id: primary.id })).body, { message: '403 Forbidden' });
  assert.deepEqual((await site.send('POST', '/geo/status', {})).body, { error: 'geo_node_id is missing' });
});
