import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Project, type World, world } from '#test/support/world.ts';
import {
  buildFiringElement,
  buildWebhookPayload,
  createTestIntegration,
  listAlertNoteTexts,
  listAlertRows,
} from './fixtures.testing.ts';

const countsOf = async (here: World, project: Project) =>
  (await listAlertRows(here, project)).map(({ event_count }) => event_count);

test('does not group empty payloads', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  await notify({});
  await notify({ hosts: ['db1'], start_time: '2026-02-13T10:20:00Z', title: ' ' });
  const alerts = await listAlertRows(here, here.project);
  assert.deepEqual(
    alerts.map(({ title, fingerprint }) => [title, fingerprint]),
    [
      ['New: Alert', null],
      ['New: Alert', null],
    ],
  );
});

test('groups payloads that differ only in key order, hosts and times', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  await notify({ title: 'Disk', on: { host: 'a', list: [{ x: 1, y: 2 }] }, hosts: 'db1' });
  await notify({ on: { list: [{ y: 2, x: 1 }], host: 'a' }, start_time: '2026-01-01', hosts: ['db2'], title: 'Disk' });
  await notify({ title: 'Disk', on: { host: 'b', list: [{ x: 1, y: 2 }] } });
  await notify({ title: 'Disk', on: { host: 'a', list: [{ x: 2, y: 1 }] } });
  assert.deepEqual(await countsOf(here, here.project), [2, 1, 1]);
});

test('groups payloads with the same fingerprint and changes only the event count', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  await notify({ title: 'Disk', fingerprint: ['a', ['b']], hosts: ['db1'], severity: 'low' });
  const [before] = await listAlertRows(here, here.project);
  here.clock.advance(60_000);
  const again = await notify({
    title: 'Another',
    fingerprint: 'ab',
    hosts: ['db2'],
    severity: 'high',
    description: 'x',
  });
  assert.deepEqual(again.body, [{ iid: 1, title: 'Disk' }]);
  const [after] = await listAlertRows(here, here.project);
  assert.deepEqual(after, { ...before, event_count: 2 });
  assert.equal((await listAlertNoteTexts(here, here.project)).length, 1);
  const other = await here.newProject();
  await (await createTestIntegration(here, other)).notify({ fingerprint: 'ab' });
  assert.deepEqual(await countsOf(here, other), [1]);
});

test('integrations of a project share its alerts', async () => {
  const here = await world({ project: {} });
  const [one, two] = [await createTestIntegration(here, here.project), await createTestIntegration(here, here.project)];
  await one.notify({ fingerprint: 'a' });
  await two.notify({ fingerprint: 'a' });
  assert.deepEqual(await countsOf(here, here.project), [2]);
});

test('keeps acknowledged and ignored alerts when they fire again, and creates a new alert after a resolved one', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  for (const status of ['acknowledged', 'ignored', 'resolved'] as const) {
    const fire = () => notify({ fingerprint: status });
    await fire();
    const ended_at = status === 'resolved' ? '2026-02-13T10:20:00.000Z' : null;
    const change = here.server.services.database.transaction((tx) =>
      tx
        .updateTable('alerts')
        .set({ status, ended_at })
        .where('project_id', '=', here.project.id)
        .where('status', '=', 'triggered')
        .execute(),
    );
    await change;
    await fire();
  }
  const alerts = await listAlertRows(here, here.project);
  assert.deepEqual(
    alerts.map(({ iid, status, event_count }) => [iid, status, event_count]),
    [
      [1, 'acknowledged', 2],
      [2, 'ignored', 2],
      [3, 'resolved', 1],
      [4, 'triggered', 1],
    ],
  );
});

test('a payload with an end time resolves the alert with its fingerprint', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const now = here.clock.now().toISOString();
  for (const [end_time, endedAt] of [
    ['2026-02-13T10:28:16+01:00', '2026-02-13T09:28:16.000Z'],
    [1_770_978_496_123, '2026-02-13T10:28:16.123Z'],
    ['1770978496123', '2026-02-13T10:28:16.123Z'],
  ] as const) {
    await notify({ title: 'Disk' });
    const { status, body } = await notify({ title: 'Disk', end_time, hosts: ['db1'] });
    assert.equal(status, 200);
    const alert = (await listAlertRows(here, here.project)).at(-1)!;
    assert.deepEqual(body, [{ iid: alert.iid, title: 'Disk' }]);
    assert.deepEqual([alert.status, alert.ended_at, alert.event_count], ['resolved', endedAt, 1]);
  }
  assert.deepEqual((await listAlertNoteTexts(here, here.project)).slice(-3), [
    '3 alert-bot logged an alert from **Data Dog**',
    '3 alert-bot logged a recovery alert from **Data Dog**',
    '3 alert-bot changed the status to **Resolved**',
  ]);
  await notify({ title: 'Disk' });
  await notify({ title: 'Disk', end_time: 'soon' });
  const last = (await listAlertRows(here, here.project)).at(-1)!;
  assert.deepEqual([last.status, last.event_count, last.started_at], ['triggered', 2, now]);
});

test('a resolving payload without a matching alert stores nothing', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const answer = await notify({ title: 'Disk', end_time: '2026-02-13T10:28:16Z' });
  assert.deepEqual([answer.status, answer.body], [400, { message: '400 Bad request' }]);
  const ended = buildFiringElement('Disk', { status: 'resolved', endsAt: '2026-02-13T10:28:16Z' });
  assert.deepEqual((await notify(buildWebhookPayload(ended))).body, []);
  assert.deepEqual(await listAlertRows(here, here.project), []);
  await notify({ title: 'New' });
  assert.equal((await listAlertRows(here, here.project))[0]?.iid, 1);
});

test('accepts one payload that fires, resolves and fires an alert again', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  await notify(buildWebhookPayload(buildFiringElement('Disk')));
  const end = buildFiringElement('Disk', { status: 'resolved' });
  const { body } = await notify(
    buildWebhookPayload(
      buildFiringElement('Disk'),
      end,
      end,
      buildFiringElement('Disk'),
      buildFiringElement('Disk'),
      end,
      buildFiringElement('Disk'),
    ),
  );
  assert.deepEqual(
    body.map(({ iid }: { iid: number }) => iid),
    [1, 2, 3],
  );
  const alerts = await listAlertRows(here, here.project);
  assert.deepEqual(
    alerts.map(({ status, event_count, ended_at }) => [status, event_count, ended_at !== null]),
    [
      ['resolved', 2, true],
      ['resolved', 2, true],
      ['triggered', 1, false],
    ],
  );
});

test('groups fifty equal concurrent payloads into one alert with fifty events', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const answers = await Promise.all(Array.from({ length: 50 }, () => notify({ title: 'Disk', fingerprint: 'same' })));
  for (const { status, body } of answers) assert.deepEqual([status, body], [200, [{ iid: 1, title: 'Disk' }]]);
  assert.deepEqual(await countsOf(here, here.project), [50]);
});

test('numbers the alerts of fifty concurrent payloads to two projects without gaps', async () => {
  const here = await world({ project: {} });
  const second = await here.newProject();
  const [one, two] = [await createTestIntegration(here, here.project), await createTestIntegration(here, second)];
  const sent = Array.from({ length: 50 }, (_, index) =>
    (index % 2 === 0 ? one : two).notify({ title: `Disk ${index}` }),
  );
  for (const { status } of await Promise.all(sent)) assert.equal(status, 200);
  for (const project of [here.project, second]) {
    const iids = (await listAlertRows(here, project)).map(({ iid }) => iid);
    assert.deepEqual(
      iids,
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
  }
});

test('computes a missing fingerprint depending on the tier or a feature flag', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const fireTwice = async () => {
    await notify({ title: 'Disk' });
    await notify({ title: 'Disk' });
    return countsOf(here, here.project);
  };
  assert.deepEqual(await fireTwice(), [2]);
  await here.root.post('/features/generic_alert_fingerprinting', { value: false });
  assert.deepEqual(await fireTwice(), [2, 1, 1]);
  await here.root.post('/features/generic_alert_fingerprinting', {
    value: true,
    project: here.project.path_with_namespace,
  });
  assert.deepEqual(await fireTwice(), [4, 1, 1]);
  await here.root.delete('/features/generic_alert_fingerprinting');
});

test('finds the environment by name and ignores an unknown name', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const { body: production } = await here.owner.post(`${here.project.at}/environments`, { name: 'production' });
  await notify({ title: 'a', service_environment_name: 'production' });
  await notify({ title: 'b', gitlab_environment_name: 'production' });
  await notify({ title: 'c', service_environment_name: 'Production' });
  await notify(
    buildWebhookPayload(buildFiringElement('d', { labels: { alertname: 'd', gitlab_environment_name: 'production' } })),
  );
  const found = (await listAlertRows(here, here.project)).map(({ environment_id }) => environment_id);
  assert.deepEqual(found, [production.id, production.id, null, production.id]);
});

test('keeps NULs in the payload and removes them from fields', async () => {
  const here = await world({ project: {} });
  const { notify } = await createTestIntegration(here, here.project);
  const payload =
    '{"title":"a\\u0000b","description":"\\u0000","x":"\\u0000","fingerprint":["\\u0000"],"lone":"\\ud800"}';
  assert.deepEqual((await notify(payload)).body, [{ iid: 1, title: 'ab' }]);
  const [alert] = await listAlertRows(here, here.project);
  assert.deepEqual([alert?.description, alert?.payload], [null, payload]);
});
