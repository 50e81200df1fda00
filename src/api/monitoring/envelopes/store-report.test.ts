import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dripping } from '#test/support/slow-request.ts';
import { envelopeOf, itemsOf, reporter } from './sdk.testing.ts';

// What is kept of events and sessions (contract/monitoring.md §11 to §13).

const id = (at: number) => at.toString(16).padStart(32, '0');
const exception = {
  type: 'TypeError',
  value: 'x is null',
  stacktrace: { frames: [{ function: 'f', filename: 'a.js' }] },
};

test('an event and its error say what was reported', async () => {
  const { store, errors, events, clock } = await reporter();
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
  assert.equal((await store(JSON.stringify(event))).status, 200);
  const [error] = await errors();
  const now = clock.now().toISOString();
  assert.partialDeepStrictEqual(error, {
    type: 'error',
    name: 'TypeError',
    name_key: 'typeerror',
    message: 'x is null',
  });
  assert.partialDeepStrictEqual(error, { culprit: 'f(a.js)', platform: 'node', level: 'fatal', status: 'unresolved' });
  assert.partialDeepStrictEqual(error, { event_count: 1, user_count: 1, last_received_at: now });
  const [stored] = await events();
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

test('reports that are alike are one error, which shows the newest by its own moment', async () => {
  const { report, errors } = await reporter();
  const at = (timestamp: string, value: string, level: string) => ({
    exception: { ...exception, value },
    level,
    timestamp,
  });
  await report(at('2025-12-02T00:00:00Z', 'second', 'error'));
  await report(at('2025-12-03T00:00:00Z', 'third', 'info'), at('2025-12-01T00:00:00Z', 'first', 'fatal'));
  await report(at('2025-12-02T12:00:00Z', 'late', 'fatal'));
  const [error, ...others] = await errors();
  assert.equal(others.length, 0);
  assert.partialDeepStrictEqual(error, { event_count: 4, message: 'third', level: 'info' });
  assert.partialDeepStrictEqual(error, {
    first_seen: '2025-12-01T00:00:00.000Z',
    last_seen: '2025-12-03T00:00:00.000Z',
  });
});

test('an error that was resolved is unresolved by a new report, and one that is ignored stays', async () => {
  const { report, errors, server, project } = await reporter();
  for (const [status, then] of [
    ['resolved', 'unresolved'],
    ['ignored', 'ignored'],
    ['unresolved', 'unresolved'],
  ] as const) {
    await report({ message: 'm' });
    const errorsHere = (tx: Parameters<Parameters<typeof server.services.database.transaction>[0]>[0]) =>
      tx.updateTable('errors').set({ status }).where('project_id', '=', project.id).execute();
    await server.services.database.transaction(errorsHere);
    await report({ message: 'm' });
    assert.deepEqual(
      (await errors()).map((error) => error.status),
      [then],
    );
  }
});

test('an event that is sent again is answered and counts nothing', async () => {
  const { report, errors, envelope } = await reporter();
  for (let tries = 0; tries < 3; tries++) {
    assert.deepEqual((await report({ event_id: id(7), message: 'm' })).body, { id: id(7) });
  }
  const again = await Promise.all(
    Array.from({ length: 5 }, () => envelope(envelopeOf({ event_id: id(8), message: 'm' }))),
  );
  assert.ok(again.every(({ status }) => status === 200));
  assert.deepEqual(
    (await errors()).map(({ event_count }) => event_count),
    [2],
  );
});

test('the same id in another project is another event', async () => {
  const [one, other] = [await reporter(), await reporter()];
  for (const { report, events } of [one, other]) {
    await report({ event_id: id(9), message: 'm' });
    assert.equal((await events()).length, 1);
  }
});

test('fifty reports at once are one error with all of them', async () => {
  const { report, errors, events } = await reporter();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, at) => report({ exception, user: { id: at % 7 }, environment: `e${at % 3}` })),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const [error, ...others] = await errors();
  assert.deepEqual([others.length, error?.event_count, error?.user_count], [0, 50, 7]);
  assert.equal(new Set((await events()).map(({ event_id }) => event_id)).size, 50);
});

test('fifty different reports at once of two projects are each an error of its own', async () => {
  const both = [await reporter(), await reporter()];
  await Promise.all(Array.from({ length: 50 }, (_, at) => both[at % 2]?.report({ message: `m${at}` })));
  for (const { errors } of both) assert.equal((await errors()).length, 25);
});

test('users, environments and hours of an error are known without a look at its events', async () => {
  const { report, errors, server, clock } = await reporter();
  const hour = Math.floor(clock.now().getTime() / 3_600_000) * 3600;
  await report({ exception, user: { email: 'a' }, environment: 'x' }, { exception, timestamp: hour - 3600 });
  await report({ exception, user: { email: 'a' }, environment: 'y' }, { exception, timestamp: '2001-01-01' });
  const [error] = await errors();
  const { reader } = server.services.database;
  const of = (table: 'error_users' | 'error_environments' | 'error_hours') =>
    reader.selectFrom(table).selectAll().where('error_id', '=', error!.id).execute();
  assert.deepEqual(await of('error_users'), [{ error_id: error?.id, user_key: 'a' }]);
  assert.deepEqual((await of('error_environments')).map((row) => Object(row).environment).sort(), ['x', 'y']);
  const hours = (await of('error_hours')).map((row) => [Object(row).hour, Object(row).event_count]);
  assert.deepEqual(hours.sort(), [
    [hour - 3600, 1],
    [hour, 2],
  ]);
  assert.deepEqual([error?.user_count, error?.event_count], [1, 4]);
});

test('a report whose events are too many for one transaction is kept whole', async () => {
  const { envelope, events } = await reporter();
  const many = Array.from({ length: 8 }, (_, at) => ({ event_id: id(at), message: 'm', extra: 'x'.repeat(700_000) }));
  assert.equal((await envelope(envelopeOf(...many))).status, 200);
  assert.deepEqual(
    (await events()).map(({ event_id }) => event_id),
    many.map(({ event_id }) => event_id),
  );
  const few = Array.from({ length: 700 }, (_, at) => ({ event_id: id(100 + at), message: 'm' }));
  assert.equal((await envelope(envelopeOf(...few))).status, 200);
  assert.equal((await events()).length, 708);
});

test('a project has so many events stored in the minute that begins with the first of them', async () => {
  const { report, events, maintainer, project, clock, envelope, store } = await reporter();
  const settings = `${project.at}/error_tracking/ingestion_settings`;
  await maintainer.put(settings, { events_per_minute: 3 });
  await report({ event_id: id(1), message: 'm' }, { message: 'm' });
  clock.advance(20);
  assert.equal((await report({ message: 'm' }, { message: 'm' })).status, 429, 'one too many: neither is stored');
  assert.equal((await report({ message: 'm' })).status, 200);
  const { status, body, headers } = await store('{"message":"m"}');
  assert.deepEqual([status, body], [429, { detail: 'rate limited', causes: [] }]);
  assert.deepEqual([headers['retry-after'], headers['x-sentry-error']], ['40', 'rate limited']);
  assert.equal(headers['x-sentry-rate-limits'], '40:default;error:project');
  // What would not be stored does not count.
  assert.equal((await report({ event_id: id(1), message: 'm' })).status, 200);
  assert.equal((await envelope(itemsOf(['transaction', {}], ['session', {}]))).status, 200);
  clock.advance(40);
  assert.equal((await report({ message: 'm' })).status, 200);
  assert.equal((await events()).length, 4);
});

test('a change of the settings begins a new minute, and without a limit there is none', async () => {
  const { report, maintainer, project, events } = await reporter();
  const settings = `${project.at}/error_tracking/ingestion_settings`;
  await maintainer.put(settings, { events_per_minute: 1 });
  const statuses = async () => [(await report({ message: 'm' })).status, (await report({ message: 'm' })).status];
  assert.deepEqual(await statuses(), [200, 429]);
  await maintainer.put(settings, { events_per_minute: 1 });
  assert.deepEqual(await statuses(), [200, 429]);
  await maintainer.put(settings, { events_per_minute: null });
  assert.deepEqual(await statuses(), [200, 200]);
  assert.equal((await events()).length, 4);
});

test('of many at once no more are stored than the rate allows', async () => {
  const { report, maintainer, project, events } = await reporter();
  await maintainer.put(`${project.at}/error_tracking/ingestion_settings`, { events_per_minute: 10 });
  const answers = await Promise.all(Array.from({ length: 30 }, (_, at) => report({ message: `m${at}` })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.equal(answers.filter(({ status }) => status === 429).length, 20);
  assert.equal((await events()).length, 10);
});

test('a key that is deleted while its report drips in is one that nobody has', async () => {
  const { key, maintainer, project, events, server } = await reporter();
  const path = `/errortracking/api/v1/projects/api/${project.id}/envelope/`;
  const body = Buffer.from(envelopeOf({ message: 'm' }));
  const late = await dripping(server, 'POST', path, { headers: { 'X-Sentry-Auth': `sentry_key=${key}` }, body });
  const keys = `${project.at}/error_tracking/client_keys`;
  for (const { id: keyId } of (await maintainer.get(keys)).body) await maintainer.delete(`${keys}/${keyId}`);
  assert.equal((await late.finish()).status, 403);
  assert.deepEqual(await events(), []);
});
