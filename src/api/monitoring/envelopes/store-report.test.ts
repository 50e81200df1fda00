import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPartialRequest } from '#test/support/slow-request.ts';
import { buildEnvelope, buildEventEnvelope, createReporter } from './sdk.testing.ts';

// Storing of events and sessions (contract/monitoring.md §11 to §13).

const id = (at: number) => at.toString(16).padStart(32, '0');
const exception = {
  type: 'TypeError',
  value: 'x is null',
  stacktrace: { frames: [{ function: 'f', filename: 'a.js' }] },
};

test('stores an event and its error', async () => {
  const { sendEvent, listErrors, listEvents, clock } = await createReporter();
  const event = {
    event_id: id(1),
    exception: { values: [exception] },
    platform: 'node',
    level: 'fatal',
    environment: 'production',
    release: 'web@1',
    logger: 'django',
    user: { id: 42 },
    tags: { a: 'b' },
    timestamp: '2026-01-01T00:00:00.123456Z',
    extra: { nul: 'a\0b' },
  };
  assert.equal((await sendEvent(JSON.stringify(event))).status, 200);
  const [error] = await listErrors();
  const now = clock.now().toISOString();
  assert.partialDeepStrictEqual(error, {
    type: 'error',
    name: 'TypeError',
    name_key: 'typeerror',
    message: 'x is null',
  });
  assert.partialDeepStrictEqual(error, { culprit: 'f(a.js)', platform: 'node', level: 'fatal', status: 'unresolved' });
  assert.partialDeepStrictEqual(error, { event_count: 1, user_count: 1, last_received_at: now });
  const [stored] = await listEvents();
  assert.partialDeepStrictEqual(stored, {
    event_id: id(1),
    error_id: error?.id,
    environment: 'production',
    received_at: now,
  });
  assert.equal(stored?.occurred_at, '2026-01-01T00:00:00.123Z');
  assert.equal(stored?.affected_user, '{"id":"42","email":null,"username":null,"ip_address":null}');
  assert.deepEqual([stored?.tags, stored?.release, stored?.logger], ['{"a":"b"}', 'web@1', 'django']);
  assert.deepEqual(JSON.parse(stored?.payload ?? ''), { ...event, extra: { nul: 'ab' } });
});

test('groups events into one error with the values of the event that occurred last', async () => {
  const { reportEvents, listErrors } = await createReporter();
  const at = (timestamp: string, value: string, level: string) => ({
    exception: { ...exception, value },
    level,
    timestamp,
  });
  await reportEvents(at('2025-12-02T00:00:00Z', 'second', 'error'));
  await reportEvents(at('2025-12-03T00:00:00Z', 'third', 'info'), at('2025-12-01T00:00:00Z', 'first', 'fatal'));
  await reportEvents(at('2025-12-02T12:00:00Z', 'late', 'fatal'));
  const [error, ...others] = await listErrors();
  assert.equal(others.length, 0);
  assert.partialDeepStrictEqual(error, { event_count: 4, message: 'third', level: 'info' });
  assert.partialDeepStrictEqual(error, {
    first_seen: '2025-12-01T00:00:00.000Z',
    last_seen: '2025-12-03T00:00:00.000Z',
  });
});

test('reopens a resolved error on a new event, and leaves an ignored error ignored', async () => {
  const { reportEvents, listErrors, server, project } = await createReporter();
  for (const [status, expected] of [
    ['resolved', 'unresolved'],
    ['ignored', 'ignored'],
    ['unresolved', 'unresolved'],
  ] as const) {
    await reportEvents({ message: 'm' });
    const setStatus = (tx: Parameters<Parameters<typeof server.services.database.transaction>[0]>[0]) =>
      tx.updateTable('errors').set({ status }).where('project_id', '=', project.id).execute();
    await server.services.database.transaction(setStatus);
    await reportEvents({ message: 'm' });
    assert.deepEqual(
      (await listErrors()).map((error) => error.status),
      [expected],
    );
  }
});

test('accepts an event that is sent again without counting it', async () => {
  const { reportEvents, listErrors, sendEnvelope } = await createReporter();
  for (let tries = 0; tries < 3; tries++) {
    assert.deepEqual((await reportEvents({ event_id: id(7), message: 'm' })).body, { id: id(7) });
  }
  const again = await Promise.all(
    Array.from({ length: 5 }, () => sendEnvelope(buildEventEnvelope({ event_id: id(8), message: 'm' }))),
  );
  assert.ok(again.every(({ status }) => status === 200));
  assert.deepEqual(
    (await listErrors()).map(({ event_count }) => event_count),
    [2],
  );
});

test('stores the same event id once per project', async () => {
  const [one, other] = [await createReporter(), await createReporter()];
  for (const { reportEvents, listEvents } of [one, other]) {
    await reportEvents({ event_id: id(9), message: 'm' });
    assert.equal((await listEvents()).length, 1);
  }
});

test('counts fifty concurrent events of one error', async () => {
  const { reportEvents, listErrors, listEvents } = await createReporter();
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, at) => reportEvents({ exception, user: { id: at % 7 }, environment: `e${at % 3}` })),
  );
  assert.ok(responses.every(({ status }) => status === 200));
  const [error, ...others] = await listErrors();
  assert.deepEqual([others.length, error?.event_count, error?.user_count], [0, 50, 7]);
  assert.equal(new Set((await listEvents()).map(({ event_id }) => event_id)).size, 50);
});

test('creates fifty errors from concurrent reports to two projects', async () => {
  const reporters = [await createReporter(), await createReporter()];
  await Promise.all(Array.from({ length: 50 }, (_, at) => reporters[at % 2]?.reportEvents({ message: `m${at}` })));
  for (const { listErrors } of reporters) assert.equal((await listErrors()).length, 25);
});

test('counts the users, environments and hours of an error', async () => {
  const { reportEvents, listErrors, server, clock } = await createReporter();
  const hour = Math.floor(clock.now().getTime() / 3_600_000) * 3600;
  await reportEvents({ exception, user: { email: 'a' }, environment: 'x' }, { exception, timestamp: hour - 3600 });
  await reportEvents({ exception, user: { email: 'a' }, environment: 'y' }, { exception, timestamp: '2001-01-01' });
  const [error] = await listErrors();
  const { reader } = server.services.database;
  const rowsOf = (table: 'error_users' | 'error_environments' | 'error_hours') =>
    reader.selectFrom(table).selectAll().where('error_id', '=', error!.id).execute();
  assert.deepEqual(await rowsOf('error_users'), [{ error_id: error?.id, user_key: 'a' }]);
  assert.deepEqual((await rowsOf('error_environments')).map((row) => Object(row).environment).sort(), ['x', 'y']);
  const hours = (await rowsOf('error_hours')).map((row) => [Object(row).hour, Object(row).event_count]);
  assert.deepEqual(hours.sort(), [
    [hour - 3600, 1],
    [hour, 2],
  ]);
  assert.deepEqual([error?.user_count, error?.event_count], [1, 4]);
});

test('stores all events of a report that is too large for one transaction', async () => {
  const { sendEnvelope, listEvents } = await createReporter();
  const many = Array.from({ length: 8 }, (_, at) => ({ event_id: id(at), message: 'm', extra: 'x'.repeat(700_000) }));
  assert.equal((await sendEnvelope(buildEventEnvelope(...many))).status, 200);
  assert.deepEqual(
    (await listEvents()).map(({ event_id }) => event_id),
    many.map(({ event_id }) => event_id),
  );
  const few = Array.from({ length: 700 }, (_, at) => ({ event_id: id(100 + at), message: 'm' }));
  assert.equal((await sendEnvelope(buildEventEnvelope(...few))).status, 200);
  assert.equal((await listEvents()).length, 708);
});

test('limits the events of a project per minute, counted from the first event', async () => {
  const { reportEvents, listEvents, maintainer, project, clock, sendEnvelope, sendEvent } = await createReporter();
  const settings = `${project.at}/error_tracking/ingestion_settings`;
  await maintainer.put(settings, { events_per_minute: 3 });
  await reportEvents({ event_id: id(1), message: 'm' }, { message: 'm' });
  clock.advance(20);
  assert.equal((await reportEvents({ message: 'm' }, { message: 'm' })).status, 429, 'one too many: neither is stored');
  assert.equal((await reportEvents({ message: 'm' })).status, 200);
  const { status, body, headers } = await sendEvent('{"message":"m"}');
  assert.deepEqual([status, body], [429, { detail: 'rate limited', causes: [] }]);
  assert.deepEqual([headers['retry-after'], headers['x-sentry-error']], ['40', 'rate limited']);
  assert.equal(headers['x-sentry-rate-limits'], '40:default;error:project');
  // Duplicates, transactions and sessions do not count.
  assert.equal((await reportEvents({ event_id: id(1), message: 'm' })).status, 200);
  assert.equal((await sendEnvelope(buildEnvelope(['transaction', {}], ['session', {}]))).status, 200);
  clock.advance(40);
  assert.equal((await reportEvents({ message: 'm' })).status, 200);
  assert.equal((await listEvents()).length, 4);
});

test('resets the rate limit when the settings change, and removes it for null', async () => {
  const { reportEvents, maintainer, project, listEvents } = await createReporter();
  const settings = `${project.at}/error_tracking/ingestion_settings`;
  await maintainer.put(settings, { events_per_minute: 1 });
  const statuses = async () => [
    (await reportEvents({ message: 'm' })).status,
    (await reportEvents({ message: 'm' })).status,
  ];
  assert.deepEqual(await statuses(), [200, 429]);
  await maintainer.put(settings, { events_per_minute: 1 });
  assert.deepEqual(await statuses(), [200, 429]);
  await maintainer.put(settings, { events_per_minute: null });
  assert.deepEqual(await statuses(), [200, 200]);
  assert.equal((await listEvents()).length, 4);
});

test('stores no more concurrent events than the rate limit allows', async () => {
  const { reportEvents, maintainer, project, listEvents } = await createReporter();
  await maintainer.put(`${project.at}/error_tracking/ingestion_settings`, { events_per_minute: 10 });
  const responses = await Promise.all(Array.from({ length: 30 }, (_, at) => reportEvents({ message: `m${at}` })));
  assert.equal(responses.filter(({ status }) => status === 200).length, 10);
  assert.equal(responses.filter(({ status }) => status === 429).length, 20);
  assert.equal((await listEvents()).length, 10);
});

test('returns 403 if the key is deleted while the body arrives', async () => {
  const { key, maintainer, project, listEvents, server } = await createReporter();
  const path = `/errortracking/api/v1/projects/api/${project.id}/envelope/`;
  const body = Buffer.from(buildEventEnvelope({ message: 'm' }));
  const headers = { 'X-Sentry-Auth': `sentry_key=${key}` };
  const request = await startPartialRequest(server, 'POST', path, { headers, body });
  const keys = `${project.at}/error_tracking/client_keys`;
  for (const { id: keyId } of (await maintainer.get(keys)).body) await maintainer.delete(`${keys}/${keyId}`);
  assert.equal((await request.finish()).status, 403);
  assert.deepEqual(await listEvents(), []);
});
