import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorRow, eventRow } from '../../../../test/error-tracking.ts';
import { type Project, world } from '../../../../test/world.ts';

// One error, what its events tell of it, and how it is resolved (contract/monitoring.md §13).

const at = ({ at }: Project, id: number) => `${at}/error_tracking/errors/${id}`;
const day = (number: number) => `2026-02-0${number}T10:00:00.000Z`;

test('an error alone adds what its events tell, the newest above all', async () => {
  const here = await world({ project: { with: ['reporter'] } });
  const { project, reporter } = here;
  const id = await errorRow(here, project, { level: 'warning' });
  await eventRow(here, project, id, { occurred_at: day(2), release: 'web@2' });
  const payload = JSON.stringify({ logger: 'django', message: 'x' });
  const event = await eventRow(here, project, id, { occurred_at: day(3), release: null, level: 'warning', payload });
  await eventRow(here, project, id, { occurred_at: day(1), release: 'web@1' });
  await here.server.rooms.database.transaction((tx) =>
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
  await here.server.rooms.database.transaction((tx) =>
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
