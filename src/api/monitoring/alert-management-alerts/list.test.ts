import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Project, type World, world } from '#test/support/world.ts';
import { buildFiringElement, buildWebhookPayload, createTestIntegration } from '../alerts/fixtures.testing.ts';

type ListedAlert = { iid: number; title: string } & Record<string, unknown>;

/** A project with three alerts, of which the second was fired twice and the third has ended. */
async function threeAlerts() {
  const here = await world({ project: { with: ['developer'] } });
  const { notify } = await createTestIntegration(here, here.project);
  const fire = async (payload: object) => {
    await notify(payload);
    here.clock.advance(60_000);
  };
  await fire({ title: 'Disk FULL', severity: 'low', start_time: '2026-02-13T10:20:00Z', service: 'Database west' });
  await fire({ title: 'CPU', severity: 'unknown', start_time: '2026-02-13T09:20:00Z', description: 'on db1, 100%' });
  await fire({ title: 'CPU', severity: 'unknown', start_time: '2026-02-13T09:20:00Z', description: 'on db1, 100%' });
  await fire({ title: 'Memory', severity: 'info', start_time: '2026-02-13T11:20:00Z', monitoring_tool: 'Zabbix' });
  const end = { title: 'Memory', severity: 'info', monitoring_tool: 'Zabbix', end_time: '2026-02-13T12:00:00Z' };
  await fire(end);
  const at = `${here.project.at}/alert_management_alerts`;
  const iids = async (params: object) =>
    (await here.developer.get(at, { ...params })).body.map(({ iid }: ListedAlert) => iid);
  return { ...here, at, iids };
}

test('lists an alert with all its fields except the payload', async () => {
  const { at, developer, project } = await threeAlerts();
  const { body } = await developer.get(at, { sort: 'created_at_asc' });
  const { id: _, created_at, updated_at, web_url, fingerprint, ...first } = body[0];
  assert.match(fingerprint, /^[0-9a-f]{40}$/);
  assert.equal(created_at, updated_at);
  assert.ok(web_url.endsWith(`/${project.path_with_namespace}/-/alert_management/1/details`));
  assert.deepEqual(first, {
    iid: 1,
    project_id: project.id,
    title: 'Disk FULL',
    description: null,
    severity: 'low',
    status: 'triggered',
    service: 'Database west',
    monitoring_tool: null,
    hosts: [],
    started_at: '2026-02-13T10:20:00.000Z',
    ended_at: null,
    event_count: 1,
    environment: null,
    runbook: null,
    issue_iid: null,
    assignees: [],
  });
});

test('returns the current environment of an alert until it is deleted', async () => {
  const here = await world({ project: {} });
  const { owner, project } = here;
  const { body: environment } = await owner.post(`${project.at}/environments`, { name: 'production' });
  const { notify } = await createTestIntegration(here, project);
  await notify({ service_environment_name: 'production' });
  const at = `${project.at}/alert_management_alerts`;
  const { id, name, slug, external_url, state, tier, created_at, updated_at } = environment;
  const shown = { id, name, slug, external_url, state, tier, created_at, updated_at };
  assert.deepEqual((await owner.get(at)).body[0].environment, shown);
  await owner.post(`${project.at}/environments/${id}/stop`);
  assert.equal((await owner.get(`${at}/1`)).body.environment.state, 'stopped');
  await owner.delete(`${project.at}/environments/${id}`);
  assert.equal((await owner.get(`${at}/1`)).body.environment, null);
});

test('orders alerts as requested, by default the latest start first', async () => {
  const { iids } = await threeAlerts();
  for (const [sort, order] of Object.entries({
    started_at_desc: [3, 1, 2],
    started_at_asc: [2, 1, 3],
    ended_at_asc: [3, 1, 2],
    ended_at_desc: [3, 2, 1],
    created_at_desc: [3, 2, 1],
    updated_at_asc: [1, 2, 3],
    event_count_desc: [2, 3, 1],
    severity_desc: [1, 3, 2],
    severity_asc: [2, 3, 1],
    status_desc: [2, 1, 3],
    status_asc: [3, 1, 2],
  })) {
    assert.deepEqual(await iids({ sort }), order, sort);
  }
  assert.deepEqual(await iids({}), [3, 1, 2]);
});

test('finds alerts with all search words in one field, ignoring case, also within words', async () => {
  const { iids } = await threeAlerts();
  for (const [search, found] of Object.entries({
    disk: [1],
    'ull DISK': [1],
    'disk west': [],
    BASE: [1],
    'db1 100%': [2],
    zabb: [3],
    _: [],
    ' ': [3, 1, 2],
  })) {
    assert.deepEqual(await iids({ search }), found, search);
  }
});

test('filters alerts by status and assignee', async () => {
  const { iids, at, developer } = await threeAlerts();
  await developer.put(`${at}/2`, { assignee_ids: [developer.id], status: 'ignored' });
  assert.deepEqual(await iids({ status: 'resolved' }), [3]);
  assert.deepEqual(await iids({ status: 'resolved,triggered' }), [3, 1]);
  assert.deepEqual(await iids({ status: ['ignored'] }), [2]);
  assert.deepEqual(await iids({ assignee_username: developer.username }), [2]);
  assert.deepEqual(await iids({ assignee_username: developer.username.slice(1) }), []);
  assert.deepEqual(await iids({ assignee_username: developer.username, status: 'resolved' }), []);
  const { body } = await developer.get(at, { assignee_username: developer.username });
  assert.equal(body[0].assignees[0].username, developer.username);
});

test('counts alerts by status, filtered by search and assignee', async () => {
  const { at, developer } = await threeAlerts();
  await developer.put(`${at}/1`, { status: 'acknowledged', assignee_ids: [developer.id] });
  const counts = async (params = {}) => (await developer.get(`${at}/status_counts`, params)).body;
  assert.deepEqual(await counts(), { triggered: 1, acknowledged: 1, resolved: 1, ignored: 0, open: 2, all: 3 });
  const one = { triggered: 0, acknowledged: 1, resolved: 0, ignored: 0, open: 1, all: 1 };
  assert.deepEqual(await counts({ search: 'disk' }), one);
  assert.deepEqual(await counts({ assignee_username: developer.username }), one);
  assert.equal((await counts({ assignee_username: 'nobody-at-all' })).all, 0);
});

test('rejects unknown statuses and orders', async () => {
  const { at, developer } = await threeAlerts();
  for (const [params, error] of [
    [{ status: 'open' }, 'status does not have a valid value'],
    [{ sort: 'title_asc' }, 'sort does not have a valid value'],
    [{ sort: 'severity' }, 'sort does not have a valid value'],
  ] as const) {
    const answer = await developer.get(at, params);
    assert.deepEqual([answer.status, answer.body], [400, { error }]);
  }
});

test('returns pagination headers', async () => {
  const { at, developer } = await threeAlerts();
  const { headers, body } = await developer.get(at, { per_page: 2, page: 2 });
  assert.deepEqual([headers['x-total'], headers['x-total-pages'], headers['x-prev-page']], ['3', '2', '1']);
  assert.equal(body.length, 1);
});

async function assertStatuses(here: World, project: Project, callers: readonly (readonly [Caller, number])[]) {
  const at = `${project.at}/alert_management_alerts`;
  await (await createTestIntegration(here, project)).notify({});
  for (const [caller, status] of callers) {
    for (const path of [at, `${at}/status_counts`, `${at}/1`, `${at}/1/notes`]) {
      assert.equal((await caller.get(path)).status, status, path);
    }
    assert.equal((await caller.put(`${at}/1`, { status: 'ignored' })).status, status);
    assert.equal((await caller.post(`${at}/1/notes`, { body: 'x' })).status, status);
  }
}

test('allows only Developers and higher roles to read alerts', async () => {
  const here = await world({ project: { visibility: 'public', with: ['reporter'] } });
  const stranger = await here.user();
  await assertStatuses(here, here.project, [
    [here.anonymous, 401],
    [stranger, 403],
    [here.reporter, 403],
  ]);
  await assertStatuses(here, await here.newProject(), [
    [here.anonymous, 401],
    [stranger, 404],
  ]);
});

test('returns a single alert with its payload and flattened details', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { notify } = await createTestIntegration(here, here.project);
  const payload = { title: 'Disk', foo: { bar: { baz: 42 }, list: [{ a: 1 }] }, empty: {}, none: null };
  await notify(payload);
  const element = buildFiringElement('CPU', { annotations: { runbook: 'https://runbook', service_y_label: 'Load' } });
  await notify(buildWebhookPayload(element));
  const at = `${here.project.at}/alert_management_alerts`;
  const { body: first } = await here.developer.get(`${at}/1`);
  assert.deepEqual(first.payload, payload);
  const details = { title: 'Disk', 'foo.bar.baz': 42, 'foo.list': [{ a: 1 }], empty: {}, none: null };
  assert.deepEqual(first.details, details);
  const { body: second } = await here.developer.get(`${at}/2`);
  assert.deepEqual(second.payload, element);
  const { metric_query, y_label, runbook, monitoring_tool } = second;
  assert.deepEqual(
    [metric_query, y_label, runbook, monitoring_tool],
    ['up == 0', 'Load', 'https://runbook', 'Prometheus'],
  );
});

test('returns 404 for an unknown alert and 400 for an invalid id', async () => {
  const { at, developer } = await threeAlerts();
  const missing = await developer.get(`${at}/99`);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Alert Not Found' }]);
  const wrong = await developer.get(`${at}/first`);
  assert.deepEqual([wrong.status, wrong.body], [400, { error: 'alert_iid is invalid' }]);
});
