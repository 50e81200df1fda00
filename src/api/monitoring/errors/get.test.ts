import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { errorRow, eventRow } from '#test/support/error-rows.ts';
import { expectSuccess, type Project, type World, world } from '#test/support/world.ts';

// Single errors, their events and status changes (contract/monitoring.md §12, §13).

const errorPath = ({ at }: Project, id: number) => `${at}/error_tracking/errors/${id}`;
const day = (number: number) => `2026-02-0${number}T10:00:00.000Z`;

test('returns a single error with environments, releases, tags and the latest event', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project, { level: 'warning' });
  await eventRow(here, project, id, { occurred_at: day(2), release: 'web@2' });
  const event = await eventRow(here, project, id, {
    occurred_at: day(3),
    release: null,
    level: 'warning',
    logger: 'django',
  });
  await eventRow(here, project, id, { occurred_at: day(1), release: 'web@1' });
  await here.server.services.database.transaction((tx) =>
    tx
      .insertInto('error_environments')
      .values(['staging', 'production'].map((environment) => ({ error_id: id, environment })))
      .execute(),
  );
  const [listed] = (await reporter.get(`${project.at}/error_tracking/errors`)).body;
  const { frequency, latest_event, ...details } = (await reporter.get(errorPath(project, id))).body;
  assert.deepEqual(details, {
    ...listed,
    environments: ['production', 'staging'],
    first_release_version: 'web@1',
    last_release_version: null,
    tags: { level: 'warning', logger: 'django' },
    integrated: true,
  });
  assert.equal(latest_event.id, event);
  assert.equal('payload' in latest_event, false);
});

test('returns the event counts of the last 24 hours, oldest first', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const hour = Math.floor(here.clock.now().getTime() / 3_600_000) * 3600;
  const counts = [
    [hour, 2],
    [hour - 23 * 3600, 5],
    [hour - 24 * 3600, 7],
  ] as const;
  await here.server.services.database.transaction((tx) =>
    tx
      .insertInto('error_hours')
      .values(counts.map(([hour, event_count]) => ({ error_id: id, hour, event_count })))
      .execute(),
  );
  const { frequency, latest_event } = (await reporter.get(errorPath(project, id))).body;
  const expected = Array.from({ length: 24 }, (_, index) => [hour - (23 - index) * 3600, 0]);
  expected[0]![1] = 5;
  expected[23]![1] = 2;
  assert.deepEqual([frequency, latest_event], [expected, null]);
});

test('returns 404 for an error that does not exist or belongs to another project, and 400 for an invalid id', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const foreign = await errorRow(here, await here.newProject({}));
  const path = (id: number | string, rest = '') => `${project.at}/error_tracking/errors/${id}${rest}`;
  for (const id of [foreign, 0, -1, '99999999999999999999']) {
    for (const rest of ['', '/events', '/events/latest']) {
      const { status, body } = await developer.get(path(id, rest));
      assert.deepEqual([status, body], [404, { message: '404 Error Not Found' }]);
    }
    assert.equal((await developer.put(path(id), { status: 'resolved' })).status, 404);
  }
  assert.deepEqual((await developer.get(path('abc'))).body, { error: 'error_id is invalid' });
  assert.deepEqual((await developer.put(path('abc'), { status: 'resolved' })).body, { error: 'error_id is invalid' });
});

test('changes the status of an error to any status, repeatedly', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const id = await errorRow(here, project);
  for (const status of ['resolved', 'resolved', 'ignored', 'unresolved', 'resolved']) {
    const { status: code, body } = await developer.put(errorPath(project, id), { status });
    assert.deepEqual([code, body.status, body.integrated], [200, status, true]);
    assert.equal((await developer.get(errorPath(project, id))).body.status, status);
  }
  assert.deepEqual((await developer.get(`${project.at}/error_tracking/errors`)).body, []);
});

test('rejects an invalid status and leaves the error unchanged', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const id = await errorRow(here, project);
  const getError = async (params: Readonly<Record<string, unknown>>) => {
    const { status, body } = await developer.put(errorPath(project, id), params);
    return status === 400 && body.error;
  };
  assert.equal(await getError({}), 'status is missing, status does not have a valid value');
  for (const status of ['', 'open', 'RESOLVED', null]) {
    assert.equal(await getError({ status }), 'status does not have a valid value');
  }
  assert.equal((await developer.get(errorPath(project, id))).body.status, 'unresolved');
});

const eventsPath = (project: Project, id: number) => `${errorPath(project, id)}/events`;

const FRAME = { filename: 'a.py', abs_path: '/srv/a.py', function: 'f', lineno: 2, context_line: '1/0' };
const PAYLOAD = { exception: { values: [{ type: 'A', stacktrace: { frames: [FRAME] } }] }, extra: { a: ['ä'] } };
const STACK = [{ lineNo: 2, colNo: 0, filename: 'a.py', abs_path: '/srv/a.py', function: 'f', context: [[2, '1/0']] }];

test('returns events with their stack trace, and a single event also with its payload', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const user = { id: '42', email: null, username: null, ip_address: null };
  const texts = { environment: 'production', release: 'web@1.2.3', message: null, platform: 'python' };
  const stored = { affected_user: JSON.stringify(user), tags: '{"a":"b"}', payload: JSON.stringify(PAYLOAD) };
  const event = await eventRow(here, project, id, { ...texts, ...stored, occurred_at: day(1) });
  const now = here.clock.now().toISOString();
  const timestamps = { occurred_at: day(1), received_at: now };
  const fields = { id: event, error_id: id, type: 'error', level: 'error', ...texts, user, tags: { a: 'b' } };
  const expected = { ...fields, ...timestamps, stacktrace: STACK };
  assert.deepEqual((await reporter.get(eventsPath(project, id))).body, [expected]);
  assert.deepEqual((await reporter.get(`${eventsPath(project, id)}/${event}`)).body, { ...expected, payload: PAYLOAD });
});

test('orders events by time of occurrence, then by id, newest first by default', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const row = (number: number) => eventRow(here, project, id, { occurred_at: day(number) });
  const [second, first, third, secondLater] = [await row(2), await row(1), await row(3), await row(2)];
  const list = async (params: Readonly<Record<string, unknown>>) => {
    const { body, headers } = await expectSuccess(reporter.get(eventsPath(project, id), params));
    return [body.map((event: { readonly id: string }) => event.id), headers['x-total']];
  };
  const newestFirst = [third, secondLater, second, first];
  assert.deepEqual(await list({}), [newestFirst, '4']);
  assert.deepEqual(await list({ sort: 'desc' }), [newestFirst, '4']);
  assert.deepEqual(await list({ sort: 'asc' }), [[first, second, secondLater, third], '4']);
  assert.deepEqual(await list({ per_page: 3, page: 2 }), [[first], '4']);
  const { status, body } = await reporter.get(eventsPath(project, id), { sort: 'up' });
  assert.deepEqual([status, body], [400, { error: 'sort does not have a valid value' }]);
});

test('returns the newest event for `latest`, and 404 for an event of another error or an unknown id', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const [id, other] = [await errorRow(here, project), await errorRow(here, project)];
  const newest = await eventRow(here, project, id, { occurred_at: day(2) });
  await eventRow(here, project, id, { occurred_at: day(1) });
  assert.equal((await reporter.get(`${eventsPath(project, id)}/latest`)).body.id, newest);
  assert.equal((await reporter.get(`${eventsPath(project, id)}/${newest.toUpperCase()}`)).body.id, newest);
  for (const path of [
    `${eventsPath(project, other)}/latest`,
    `${eventsPath(project, other)}/${newest}`,
    `${eventsPath(project, id)}/abc`,
  ]) {
    const { status, body } = await reporter.get(path);
    assert.deepEqual([status, body], [404, { message: '404 Event Not Found' }]);
  }
});

test('returns a page of long events, each with its own stack trace', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const padding = 'x'.repeat(900_000);
  for (let number = 1; number <= 6; number++) {
    const frames = [{ ...FRAME, function: `f${number}` }];
    const payload = JSON.stringify({ padding, exception: [{ stacktrace: { frames } }] });
    await eventRow(here, project, id, { occurred_at: day(number), payload });
  }
  const { body } = await reporter.get(eventsPath(project, id));
  const names = body.map(({ stacktrace }: { readonly stacktrace: typeof STACK }) =>
    stacktrace.map((frame) => frame.function),
  );
  assert.deepEqual(names, [['f6'], ['f5'], ['f4'], ['f3'], ['f2'], ['f1']]);
});

/**
 * Starts senders that report the same error repeatedly. Returns a function that stops them and returns the number of
 * accepted reports.
 */
async function startReporting({ anonymous }: World, project: Project) {
  const { public_key } = (await expectSuccess(project.owner.post(`${project.at}/error_tracking/client_keys`))).body;
  const path = `//errortracking/api/v1/projects/api/${project.id}/store/?sentry_key=${public_key}`;
  let running = true;
  let accepted = 0;
  const send = async () => {
    const raw = JSON.stringify({ event_id: randomUUID(), exception: [{ type: 'Storm' }] });
    const { status } = await anonymous.send('POST', path, { raw });
    assert.equal(status, 200);
    accepted++;
  };
  await send();
  const senders = Array.from({ length: 20 }, async () => {
    while (running) await send();
  });
  return async () => {
    running = false;
    await Promise.all(senders);
    return accepted;
  };
}

test('updates an error and the ingestion settings while reports arrive', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer } = here;
  const stopReporting = await startReporting(here, project);
  const [{ id }] = (await maintainer.get(`${project.at}/error_tracking/errors`)).body;
  for (let time = 0; time < 8; time++) {
    const settings = { events_per_minute: 1_000_000 - time };
    const changed = await Promise.all([
      maintainer.put(`${project.at}/error_tracking/errors/${id}`, { status: 'resolved' }),
      maintainer.put(`${project.at}/error_tracking/ingestion_settings`, settings),
    ]);
    assert.deepEqual(
      changed.map(({ status }) => status),
      [200, 200],
    );
  }
  const accepted = await stopReporting();
  assert.equal((await maintainer.get(`${project.at}/error_tracking/errors/${id}`)).body.count, accepted);
});
