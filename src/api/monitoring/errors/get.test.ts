import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { errorRow, eventRow } from '#test/support/error-rows.ts';
import { done, type Project, type World, world } from '#test/support/world.ts';

// One error, its events and what they tell of it, and how it is resolved (contract/monitoring.md §12, §13).

const at = ({ at }: Project, id: number) => `${at}/error_tracking/errors/${id}`;
const day = (number: number) => `2026-02-0${number}T10:00:00.000Z`;

test('an error alone adds what its events tell, the newest above all', async () => {
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
  const { frequency, latest_event, ...alone } = (await reporter.get(at(project, id))).body;
  assert.deepEqual(alone, {
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

test('the frequency is of the last 24 hours, each by its first second, the oldest first', async () => {
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
  const { frequency, latest_event } = (await reporter.get(at(project, id))).body;
  const expected = Array.from({ length: 24 }, (_, index) => [hour - (23 - index) * 3600, 0]);
  expected[0]![1] = 5;
  expected[23]![1] = 2;
  assert.deepEqual([frequency, latest_event], [expected, null]);
});

test('an error that is not there or of another project is not found, one that is no number wrong', async () => {
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

test('an error is resolved, ignored and opened again, as often as one likes', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const id = await errorRow(here, project);
  for (const status of ['resolved', 'resolved', 'ignored', 'unresolved', 'resolved']) {
    const { status: code, body } = await developer.put(at(project, id), { status });
    assert.deepEqual([code, body.status, body.integrated], [200, status, true]);
    assert.equal((await developer.get(at(project, id))).body.status, status);
  }
  assert.deepEqual((await developer.get(`${project.at}/error_tracking/errors`)).body, []);
});

test('no other status is taken, and nothing is changed by it', async () => {
  const here = await world({ project: { with: ['developer'] } });
  const { project, developer } = here;
  const id = await errorRow(here, project);
  const refusal = async (params: Readonly<Record<string, unknown>>) => {
    const { status, body } = await developer.put(at(project, id), params);
    return status === 400 && body.error;
  };
  assert.equal(await refusal({}), 'status is missing, status does not have a valid value');
  for (const status of ['', 'open', 'RESOLVED', null]) {
    assert.equal(await refusal({ status }), 'status does not have a valid value');
  }
  assert.equal((await developer.get(at(project, id))).body.status, 'unresolved');
});

const eventsOf = (project: Project, id: number) => `${at(project, id)}/events`;

const FRAME = { filename: 'a.py', abs_path: '/srv/a.py', function: 'f', lineno: 2, context_line: '1/0' };
const SENT = { exception: { values: [{ type: 'A', stacktrace: { frames: [FRAME] } }] }, extra: { a: ['ä'] } };
const STACK = [{ lineNo: 2, colNo: 0, filename: 'a.py', abs_path: '/srv/a.py', function: 'f', context: [[2, '1/0']] }];

test('an event is shown with its stack, and alone with all that was sent', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const user = { id: '42', email: null, username: null, ip_address: null };
  const said = { environment: 'production', release: 'web@1.2.3', message: null, platform: 'python' };
  const stored = { affected_user: JSON.stringify(user), tags: '{"a":"b"}', payload: JSON.stringify(SENT) };
  const event = await eventRow(here, project, id, { ...said, ...stored, occurred_at: day(1) });
  const now = here.clock.now().toISOString();
  const moments = { occurred_at: day(1), received_at: now };
  const shown = { id: event, error_id: id, type: 'error', level: 'error', ...said, user, tags: { a: 'b' } };
  const whole = { ...shown, ...moments, stacktrace: STACK };
  assert.deepEqual((await reporter.get(eventsOf(project, id))).body, [whole]);
  assert.deepEqual((await reporter.get(`${eventsOf(project, id)}/${event}`)).body, { ...whole, payload: SENT });
});

test('events come by when they happened, the newest first unless it is the other way round, in pages', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const row = (number: number) => eventRow(here, project, id, { occurred_at: day(number) });
  const [b, a, c, twin] = [await row(2), await row(1), await row(3), await row(2)];
  const list = async (params: Readonly<Record<string, unknown>>) => {
    const { body, headers } = await done(reporter.get(eventsOf(project, id), params));
    return [body.map((event: { readonly id: string }) => event.id), headers['x-total']];
  };
  assert.deepEqual(await list({}), [[c, twin, b, a], '4']);
  assert.deepEqual(await list({ sort: 'desc' }), [[c, twin, b, a], '4']);
  assert.deepEqual(await list({ sort: 'asc' }), [[a, b, twin, c], '4']);
  assert.deepEqual(await list({ per_page: 3, page: 2 }), [[a], '4']);
  const { status, body } = await reporter.get(eventsOf(project, id), { sort: 'up' });
  assert.deepEqual([status, body], [400, { error: 'sort does not have a valid value' }]);
});

test('the latest event is the newest, and one of another error or that is not there is not found', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const [id, other] = [await errorRow(here, project), await errorRow(here, project)];
  const newest = await eventRow(here, project, id, { occurred_at: day(2) });
  await eventRow(here, project, id, { occurred_at: day(1) });
  assert.equal((await reporter.get(`${eventsOf(project, id)}/latest`)).body.id, newest);
  assert.equal((await reporter.get(`${eventsOf(project, id)}/${newest.toUpperCase()}`)).body.id, newest);
  for (const path of [
    `${eventsOf(project, other)}/latest`,
    `${eventsOf(project, other)}/${newest}`,
    `${eventsOf(project, id)}/abc`,
  ]) {
    const { status, body } = await reporter.get(path);
    assert.deepEqual([status, body], [404, { message: '404 Event Not Found' }]);
  }
});

test('a page of long events is sent whole, each with its own stack', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const padding = 'x'.repeat(900_000);
  for (let number = 1; number <= 6; number++) {
    const frames = [{ ...FRAME, function: `f${number}` }];
    const payload = JSON.stringify({ padding, exception: [{ stacktrace: { frames } }] });
    await eventRow(here, project, id, { occurred_at: day(number), payload });
  }
  const { body } = await reporter.get(eventsOf(project, id));
  const names = body.map(({ stacktrace }: { readonly stacktrace: typeof STACK }) =>
    stacktrace.map((one) => one.function),
  );
  assert.deepEqual(names, [['f6'], ['f5'], ['f4'], ['f3'], ['f2'], ['f1']]);
});

/** Senders that report the same error over and over, until they are told to end: how often that was taken. */
async function reporting({ anonymous }: World, project: Project) {
  const { public_key } = (await done(project.owner.post(`${project.at}/error_tracking/client_keys`))).body;
  const path = `//errortracking/api/v1/projects/api/${project.id}/store/?sentry_key=${public_key}`;
  let running = true;
  let taken = 0;
  const send = async () => {
    const raw = JSON.stringify({ event_id: randomUUID(), exception: [{ type: 'Storm' }] });
    const { status } = await anonymous.send('POST', path, { raw });
    assert.equal(status, 200);
    taken++;
  };
  await send();
  const senders = Array.from({ length: 20 }, async () => {
    while (running) await send();
  });
  return async () => {
    running = false;
    await Promise.all(senders);
    return taken;
  };
}

test('an error is resolved, and limits are changed, in the middle of its reports', async () => {
  const here = await world({ project: { with: ['maintainer'] } });
  const { project, maintainer } = here;
  const end = await reporting(here, project);
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
  const taken = await end();
  assert.equal((await maintainer.get(`${project.at}/error_tracking/errors/${id}`)).body.count, taken);
});
