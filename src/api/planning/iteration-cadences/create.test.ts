import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { AUTOMATIC, listPeriods, newCadence } from './fixtures.testing.ts';

const here = await world();
const shared = await here.newGroup({ with: ['guest', 'planner'] });

test('returns a new automatic cadence and creates its current and upcoming iterations', async () => {
  const group = await here.newGroup();
  const { status, body } = await group.owner.post(`${group.at}/iteration_cadences`, { title: ' Weeks ', ...AUTOMATIC });
  assert.equal(status, 201);
  const { id, created_at, updated_at, ...rest } = body;
  assert.deepEqual(rest, {
    group_id: group.id,
    title: 'Weeks',
    description: null,
    active: true,
    automatic: true,
    ...AUTOMATIC,
    roll_over: false,
    next_run_date: '2026-01-16',
  });
  assert.deepEqual([created_at, updated_at], ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z']);
  const iterations = await group.owner.get(`${group.at}/iterations`);
  assert.deepEqual(
    iterations.body.map((one: Record<string, unknown>) => [
      one.iid,
      one.sequence,
      one.title,
      one.state,
      one.start_date,
    ]),
    [
      [1, 1, null, 2, '2026-01-02'],
      [2, 2, null, 1, '2026-01-16'],
      [3, 3, null, 1, '2026-01-30'],
    ],
  );
  assert.deepEqual((await group.owner.get(`${group.at}/iteration_cadences/${id}`)).body, body);
});

test('creates only upcoming iterations for a later start, and none for an inactive cadence', async () => {
  const group = await here.newGroup();
  const later = await newCadence(group, { ...AUTOMATIC, start_date: '2026-01-03' });
  assert.equal(later.next_run_date, '2026-01-03');
  assert.deepEqual(await listPeriods(group), ['2026-01-03 2026-01-16', '2026-01-17 2026-01-30']);
  assert.equal((await newCadence(group, { ...AUTOMATIC, active: false })).next_run_date, null);
  assert.equal((await listPeriods(group)).length, 2);
});

test('creates a manual cadence without dates and clears automatic attributes', async () => {
  const group = await here.newGroup();
  const body = await newCadence(group, {
    automatic: false,
    duration_in_weeks: 2,
    iterations_in_advance: 3,
    roll_over: 1,
  });
  const { duration_in_weeks, iterations_in_advance, roll_over, start_date, next_run_date } = body;
  assert.deepEqual(
    { duration_in_weeks, iterations_in_advance, roll_over, start_date, next_run_date },
    { duration_in_weeks: null, iterations_in_advance: null, roll_over: false, start_date: null, next_run_date: null },
  );
});

const BLANK = ["can't be blank"];
const tooEarly =
  'The automation start date would retroactively create a past iteration. 2025-12-20 is the earliest possible start date.';

for (const [input, params, message] of [
  ['no start date', { start_date: '' }, { start_date: BLANK }],
  ['no duration', { duration_in_weeks: null }, { duration_in_weeks: BLANK }],
  ['a duration of five weeks', { duration_in_weeks: 5 }, { duration_in_weeks: ['is not included in the list'] }],
  [
    'eleven iterations in advance',
    { iterations_in_advance: 11 },
    { iterations_in_advance: ['is not included in the list'] },
  ],
  ['a blank title', { title: ' ' }, { title: BLANK }],
  ['a long title', { title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
  [
    'a long description',
    { description: 'x'.repeat(5001) },
    { description: ['is too long (maximum is 5000 characters)'] },
  ],
  ['a first iteration in the past', { start_date: '2025-12-19' }, { base: [tooEarly] }],
  [
    'dates after the last day of the calendar',
    { start_date: '9999-12-20' },
    { start_date: ['is not included in the list'] },
  ],
] as const) {
  test(`rejects a cadence with ${input} and creates nothing`, async () => {
    const params_ = { title: 'Weeks', ...AUTOMATIC, ...params };
    const refused = await shared.owner.post(`${shared.at}/iteration_cadences`, params_);
    assert.deepEqual([refused.status, refused.body], [400, { message }]);
    assert.deepEqual((await shared.owner.get(`${shared.at}/iteration_cadences`)).body, []);
    assert.deepEqual(await listPeriods(shared), []);
  });
}

test('requires a title, and accepts a start date whose first iteration ends today', async () => {
  const path = `${shared.at}/iteration_cadences`;
  assert.deepEqual((await shared.owner.post(path, AUTOMATIC)).body, { error: 'title is missing' });
  const group = await here.newGroup();
  await newCadence(group, { ...AUTOMATIC, start_date: '2025-12-20' });
  assert.equal((await listPeriods(group))[0], '2025-12-20 2026-01-02');
});

test('lets Planners create cadences, but not Guests, and nobody in an archived group', async () => {
  const path = `${shared.at}/iteration_cadences`;
  const params = { title: 'By hand', automatic: false };
  assert.equal((await shared.guest.post(path, params)).status, 403);
  const { body } = await shared.planner.post(path, params);
  const archived = await here.newGroup({ with: ['planner'] });
  await archived.owner.post(`${archived.at}/archive`);
  assert.equal((await archived.owner.post(`${archived.at}/iteration_cadences`, params)).status, 403);
  assert.equal((await archived.owner.get(`${archived.at}/iteration_cadences`)).status, 200);
  assert.equal((await shared.planner.delete(`${path}/${body.id}`)).status, 204);
});
