import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorRow, eventRow } from '../../../../test/error-tracking.ts';
import { done, type Project, world } from '../../../../test/world.ts';

// The reports of an error (contract/monitoring.md §13).

const at = ({ at }: Project, id: number) => `${at}/error_tracking/errors/${id}/events`;
const day = (number: number) => `2026-02-0${number}T10:00:00.000Z`;

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
  assert.deepEqual((await reporter.get(at(project, id))).body, [whole]);
  assert.deepEqual((await reporter.get(`${at(project, id)}/${event}`)).body, { ...whole, payload: SENT });
});

test('events come by when they happened, the newest first unless it is the other way round, in pages', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project);
  const row = (number: number) => eventRow(here, project, id, { occurred_at: day(number) });
  const [b, a, c, twin] = [await row(2), await row(1), await row(3), await row(2)];
  const list = async (params: Readonly<Record<string, unknown>>) => {
    const { body, headers } = await done(reporter.get(at(project, id), params));
    return [body.map((event: { readonly id: string }) => event.id), headers['x-total']];
  };
  assert.deepEqual(await list({}), [[c, twin, b, a], '4']);
  assert.deepEqual(await list({ sort: 'desc' }), [[c, twin, b, a], '4']);
  assert.deepEqual(await list({ sort: 'asc' }), [[a, b, twin, c], '4']);
  assert.deepEqual(await list({ per_page: 3, page: 2 }), [[a], '4']);
  const { status, body } = await reporter.get(at(project, id), { sort: 'up' });
  assert.deepEqual([status, body], [400, { error: 'sort does not have a valid value' }]);
});

test('the latest event is the newest, and one of another error or that is not there is not found', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const [id, other] = [await errorRow(here, project), await errorRow(here, project)];
  const newest = await eventRow(here, project, id, { occurred_at: day(2) });
  await eventRow(here, project, id, { occurred_at: day(1) });
  assert.equal((await reporter.get(`${at(project, id)}/latest`)).body.id, newest);
  assert.equal((await reporter.get(`${at(project, id)}/${newest.toUpperCase()}`)).body.id, newest);
  for (const path of [`${at(project, other)}/latest`, `${at(project, other)}/${newest}`, `${at(project, id)}/abc`]) {
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
  const { body } = await reporter.get(at(project, id));
  const names = body.map(({ stacktrace }: { readonly stacktrace: typeof STACK }) =>
    stacktrace.map((one) => one.function),
  );
  assert.deepEqual(names, [['f6'], ['f5'], ['f4'], ['f3'], ['f2'], ['f1']]);
});
