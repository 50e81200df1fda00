import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { world } from '#test/support/world.ts';
import {
  buildFiringElement,
  buildWebhookPayload,
  createTestIntegration,
  listAlertNoteTexts,
  listAlertRows,
} from './fixtures.testing.ts';

const BAD_REQUEST = { message: '400 Bad request' };
const FORBIDDEN = { message: '403 Forbidden' };
const UNAUTHORIZED = { message: '401 Unauthorized' };

const basic = (name: string, key: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`,
});

test('accepts the key as a bearer token and as a Basic password with any username', async () => {
  const here = await world({ project: {} });
  const { key, notify } = await createTestIntegration(here, here.project);
  for (const [iid, headers] of [
    [1, { Authorization: `Bearer ${key}` }],
    [2, { authorization: `bearer ${key}`, 'Content-Type': 'text/plain' }],
    [3, basic('', key)],
    [4, { ...basic('anybody', key), 'Content-Type': 'application/x-www-form-urlencoded' }],
  ] as const) {
    const answer = await notify({ title: `Disk ${iid}` }, { headers });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, [{ iid, title: `Disk ${iid}` }]);
  }
});

test('accepts no other credential, not even an administrator token', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const other = await createTestIntegration(here, here.project);
  const wrong: Record<string, string>[] = [
    {},
    { 'PRIVATE-TOKEN': here.root.token as string },
    { Authorization: `Bearer ${here.root.token}` },
    { Authorization: `Bearer ${other.key}` },
    { Authorization: 'Bearer' },
    basic('x', ''),
  ];
  for (const headers of wrong) {
    for (const payload of [{ title: 'Disk' }, buildWebhookPayload(buildFiringElement('Disk'))]) {
      const answer = await notify(payload, { headers });
      assert.equal(answer.status, 401, JSON.stringify(headers));
      assert.deepEqual(answer.body, UNAUTHORIZED);
    }
  }
  assert.deepEqual(await listAlertRows(here, here.project), []);
});

test('returns 403 to payloads and 401 to webhooks for inactive and missing integrations', async () => {
  const here = await world({ project: {} });
  const inactive = await createTestIntegration(here, here.project, { active: false });
  const unknown = { address: `//${here.project.path_with_namespace}/alerts/notify/name/0123` };
  for (const sending of [{}, unknown]) {
    const generic = await inactive.notify({ title: 'Disk' }, sending);
    assert.deepEqual([generic.status, generic.body], [403, FORBIDDEN]);
    const unauthorized = await inactive.notify(buildWebhookPayload(buildFiringElement('Disk')), sending);
    assert.deepEqual([unauthorized.status, unauthorized.body], [401, UNAUTHORIZED]);
  }
});

test('accepts addresses with .json, any name, subgroups and any letter case', async () => {
  const here = await world();
  const group = await here.newGroup();
  const subgroup = await here.newGroup({ parent: group });
  const project = await here.newProject({ in: subgroup });
  const { notify, address } = await createTestIntegration(here, project);
  const bare = address.replace(/\.json$/, '');
  for (const form of [
    bare,
    address,
    bare.replace('/name/', '/50%25%20of%20it/'),
    bare.replace(project.path, project.path.toUpperCase()),
  ]) {
    assert.equal((await notify({}, { address: form })).status, 200, form);
  }
});

test('legacy integrations have addresses that name nothing', async () => {
  const here = await world({ project: {} });
  const http = await createTestIntegration(here, here.project, { endpoint: 'legacy' });
  const prometheus = await createTestIntegration(here, here.project, {
    endpoint: 'legacy-prometheus',
    type: 'prometheus',
  });
  const root = `//${here.project.path_with_namespace}`;
  for (const suffix of ['', '.json']) {
    assert.equal((await http.notify({}, { address: `${root}/alerts/notify${suffix}` })).status, 200);
    const address = `${root}/prometheus/alerts/notify${suffix}`;
    assert.equal((await prometheus.notify(buildWebhookPayload(buildFiringElement('Disk')), { address })).status, 200);
    assert.equal((await http.notify({}, { address })).status, 401);
  }
});

test('a project that is called prometheus has a legacy integration too', async () => {
  const here = await world();
  const project = await here.newProject({ path: 'prometheus' });
  const { notify } = await createTestIntegration(here, project, { endpoint: 'legacy' });
  assert.equal((await notify({}, { address: `//${project.path_with_namespace}/alerts/notify` })).status, 200);
});

test('an unknown path is 404 before all else, and so is one that a project had', async () => {
  const here = await world({ project: { path: 'moves' } });
  const { notify, address } = await createTestIntegration(here, here.project);
  const unknown = await notify('[', { address: '//no/such/alerts/notify/name/0123.json', headers: {} });
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Project Not Found' }]);
  const encoded = address.replace('/moves', '%2Fmoves');
  assert.equal((await notify({}, { address: encoded })).status, 404);
  await here.owner.put(here.project.at, { path: 'moved' });
  assert.equal((await notify({})).status, 404);
  assert.equal((await notify({}, { address: address.replace('/moves/', '/moved/') })).status, 200);
});

const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

test('rejects a body that is not a JSON object within the limits before it checks the key', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const MAX_BYTES = 2 ** 20;
  const long = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
  for (const broken of ['{', '[]', '"text"', '42', 'null', '{"a":1}}', deep(101), long(MAX_BYTES + 1), '\ufeff{}']) {
    const answer = await notify(broken, { headers: {} });
    assert.equal(answer.status, 400, broken.slice(0, 20));
    assert.deepEqual(answer.body, BAD_REQUEST);
  }
  const wide = `{"a":[${'0,'.repeat(50_000)}0]}`;
  assert.deepEqual((await notify(wide)).body, BAD_REQUEST);
  const notText = await here.anonymous.send('POST', (await createTestIntegration(here, here.project)).address, {
    raw: Buffer.from('{"title":"\xff"}', 'latin1'),
  });
  assert.deepEqual([notText.status, notText.body], [400, BAD_REQUEST]);
  assert.deepEqual(await listAlertRows(here, here.project), []);
  for (const good of [long(MAX_BYTES), deep(100), '', '  ']) assert.equal((await notify(good)).status, 200);
});

test('accepts compressed bodies and limits their decoded size', async () => {
  const here = await world({ project: {} });
  const { key, address } = await createTestIntegration(here, here.project);
  const send = (raw: Buffer, encoding: string) =>
    here.anonymous.send('POST', address, {
      raw,
      headers: { Authorization: `Bearer ${key}`, 'Content-Encoding': encoding },
    });
  const payload = JSON.stringify({ title: 'Disk' });
  for (const [encoding, raw] of [
    ['gzip', gzipSync(payload)],
    ['deflate', deflateSync(payload)],
    ['br', brotliCompressSync(payload)],
    ['identity', Buffer.from(payload)],
  ] as const) {
    assert.deepEqual((await send(raw, encoding)).body, [{ iid: 1, title: 'Disk' }], encoding);
  }
  const bomb = gzipSync(Buffer.alloc(100 * 2 ** 20, ' '));
  for (const [encoding, raw] of [
    ['gzip', bomb],
    ['gzip', gzipSync(bomb)],
    ['gzip', Buffer.from(payload)],
    ['zstd', Buffer.from(payload)],
  ] as const) {
    const answer = await send(raw, encoding);
    assert.deepEqual([answer.status, answer.body], [400, BAD_REQUEST]);
  }
});

test('accepts the payloads of Alertmanager 0.25 and 0.35', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project, { type: 'prometheus' });
  const alert = {
    status: 'firing',
    labels: { alertname: 'DiskFull', severity: 'page' },
    annotations: { summary: 'Disk full' },
    startsAt: '2026-01-02T03:04:05Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://db1:9090/graph?g0.expr=disk_free%28%29+%3C+0.03\u0026g0.tab=1',
    fingerprint: '66214a361160fb6f',
  };
  const group = { receiver: 'hearth', status: 'firing', alerts: [alert], groupLabels: { alertname: 'DiskFull' } };
  const common = { commonLabels: alert.labels, commonAnnotations: alert.annotations };
  const end = {
    externalURL: 'http://db1:9093',
    version: '4',
    groupKey: '{}:{alertname="DiskFull"}',
    truncatedAlerts: 0,
  };
  for (const payload of [
    { ...group, ...common, ...end },
    { ...group, notification_reason: 'first notification', ...common, routeLabels: {}, ...end },
  ]) {
    const { status, body } = await notify(`${JSON.stringify(payload)}\n`);
    assert.deepEqual([status, body], [200, [{ iid: 1, title: 'Disk full' }]]);
  }
  const [row] = await listAlertRows(here, here.project);
  assert.partialDeepStrictEqual(row, { event_count: 2, severity: 'high', metric_query: 'disk_free() < 0.03' });
});

/** Returns an element of a webhook payload with an annotation of this length. */
const elementOf = (title: string, size: number) =>
  buildFiringElement(title, { annotations: { note: 'x'.repeat(size) } });

test('accepts webhook payloads of up to 16 MiB, compressed or not', async () => {
  const here = await world({ project: {} });
  const { key, address, notify } = await createTestIntegration(here, here.project);
  const many = Array.from({ length: 1_700 }, (_, index) => elementOf(`Disk ${index}`, 700));
  const { status, body } = await notify(buildWebhookPayload(...many));
  assert.equal(status, 200);
  const expected = many.map((_, index) => ({ iid: index + 1, title: `Disk ${index}` }));
  assert.deepEqual(body, expected);
  const raw = gzipSync(JSON.stringify(buildWebhookPayload(...many)));
  const headers = { Authorization: `Bearer ${key}`, 'Content-Encoding': 'gzip' };
  assert.deepEqual((await here.anonymous.send('POST', address, { raw, headers })).body, expected);
  const counts = (await listAlertRows(here, here.project)).map(({ event_count }) => event_count);
  assert.ok(counts.length === 1_700 && counts.every((count) => count === 2));
  const large = (count: number) =>
    buildWebhookPayload(...Array.from({ length: count }, (_, index) => elementOf(`Large ${index}`, 1_000_000)));
  assert.equal((await notify(large(16))).body.length, 16);
  assert.deepEqual((await notify(large(17))).body, BAD_REQUEST);
});

test('drops an alert over 1 MiB, counts it, and stores the others', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const countDropped = async () => {
    const { text } = await here.anonymous.get('//-/metrics');
    return Number(/^hearth_dropped_report_items_total\{kind="alert"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await countDropped();
  const payload = buildWebhookPayload(
    buildFiringElement('First'),
    elementOf('Too large', 2 ** 20),
    buildFiringElement('Last'),
  );
  const { status, body } = await notify(payload);
  assert.deepEqual([status, body.map(({ title }: { title: string }) => title)], [200, ['First', 'Last']]);
  assert.equal(await countDropped(), before + 1);
});

test('rejects a large payload with an invalid alert, and stores nothing', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const valid = JSON.stringify(
    buildWebhookPayload(buildFiringElement('First'), elementOf('Second', 1_100_000 - 60_000)),
  );
  const padded = valid.replace('"alerts":[', `"alerts":[${JSON.stringify(elementOf('Third', 200_000))},`);
  const other = await createTestIntegration(here, await here.newProject());
  assert.equal((await other.notify(padded)).body.length, 3);
  for (const [text, broken] of [
    ['"alerts":[', '"alerts":[{"a":},'],
    ['"alerts":[', '"alerts":[,'],
    ['"alerts":[', `"alerts":[${deep(99)},`],
    ['{', '{"text":"\\u12",'],
    ['"version":"4"', '"version":"5"'],
  ] as const) {
    const answer = await notify(padded.replace(text, broken));
    assert.deepEqual([answer.status, answer.body], [400, BAD_REQUEST], broken.slice(0, 30));
  }
  assert.equal((await notify(padded, { headers: {} })).status, 401);
  assert.deepEqual(await listAlertRows(here, here.project), []);
});

test('requires all attributes, version 4 and a list of alerts in a webhook payload', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const { receiver: _, ...incomplete } = buildWebhookPayload(buildFiringElement('Disk'));
  for (const generic of [
    incomplete,
    { ...buildWebhookPayload(), version: '5' },
    { ...buildWebhookPayload(), version: 4 },
    { ...buildWebhookPayload(), alerts: {} },
  ]) {
    const { body } = await notify(generic);
    assert.equal(body[0].title, 'New: Alert');
  }
  assert.deepEqual((await notify(buildWebhookPayload())).body, []);
});

test('skips unusable elements and returns the others in order', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project, { type: 'prometheus' });
  const { status, body } = await notify(
    buildWebhookPayload(
      buildFiringElement('First'),
      buildFiringElement('No start', { startsAt: ' ' }),
      buildFiringElement('', { annotations: { title: '', summary: null } }),
      null,
      'text',
      buildFiringElement('Ended, and never seen', { status: 'resolved' }),
      buildFiringElement('Second', { labels: 'none', annotations: { summary: 'Second' } }),
      buildFiringElement('First'),
    ),
  );
  assert.equal(status, 200);
  assert.deepEqual(body, [
    { iid: 1, title: 'First' },
    { iid: 2, title: 'Second' },
  ]);
  const counts = (await listAlertRows(here, here.project)).map(({ event_count }) => event_count);
  assert.deepEqual(counts, [2, 1]);
});

test('processes only the first hundred elements if a feature flag is on', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const many = buildWebhookPayload(...Array.from({ length: 450 }, (_, index) => buildFiringElement(`Disk ${index}`)));
  await here.root.post('/features/prometheus_notify_max_alerts', {
    value: true,
    project: here.project.path_with_namespace,
  });
  assert.equal((await notify(many)).body.length, 100);
  await here.root.delete('/features/prometheus_notify_max_alerts');
  const { body } = await notify(many);
  assert.deepEqual(
    body.map(({ iid }: { iid: number }) => iid),
    Array.from({ length: 450 }, (_, index) => index + 1),
  );
});

test('alert-bot writes the system note that names the source', async () => {
  const here = await world({ project: {} });
  const named = await createTestIntegration(here, here.project, { name: 'Data Dog' });
  await named.notify({ title: 'Disk', monitoring_tool: 'Zabbix' });
  await named.notify({ title: 'CPU' });
  await named.notify(buildWebhookPayload(buildFiringElement('Memory')));
  assert.deepEqual(await listAlertNoteTexts(here, here.project), [
    '1 alert-bot logged an alert from **Zabbix**',
    '2 alert-bot logged an alert from **Data Dog**',
    '3 alert-bot logged an alert from **Data Dog**',
  ]);
});

test('applies the rate limit per URL before all other checks', async () => {
  const here = await world({ project: {} });
  const [one, other] = [
    await createTestIntegration(here, here.project),
    await createTestIntegration(here, here.project),
  ];
  const name = 'throttle_incident_management_notification';
  const settings = { [`${name}_per_period`]: 2, [`${name}_period_in_seconds`]: 60 };
  await here.root.put('/application/settings', { [`${name}_enabled`]: true, ...settings });
  assert.equal((await one.notify({})).status, 200);
  assert.equal((await one.notify('[', { headers: {} })).status, 400);
  const late = await one.notify({});
  assert.deepEqual([late.status, late.text], [429, 'Retry later\n']);
  const retryAfter = Number(late.headers['retry-after']);
  assert.ok(retryAfter >= 1 && retryAfter <= 60);
  assert.equal((await other.notify({})).status, 200);
  here.clock.advance(60_000);
  assert.equal((await one.notify({})).status, 200);
  await here.root.put('/application/settings', { [`${name}_enabled`]: false });
  assert.equal((await listAlertRows(here, here.project)).length, 3);
});
