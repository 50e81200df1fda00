import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { listPeriods, newCadence, newIteration } from '../iteration-cadences/fixtures.testing.ts';

const here = await world();
const days = { start_date: '2026-02-01', due_date: '2026-02-14' };
const OVERLAP = 'Dates cannot overlap with other existing Iterations within this iterations cadence';

test('adds an iteration without a cadence to the first manual cadence, and creates it if missing', async () => {
  const group = await here.newGroup({ name: 'Team' });
  await newCadence(group);
  const { status, body } = await group.owner.post(`${group.at}/iterations`, { ...days, title: ' One ' });
  assert.equal(status, 201);
  assert.deepEqual([body.title, body.sequence, body.state, body.group_id], ['One', 1, 1, group.id]);
  await newIteration(group, '2026-03-01', '2026-03-14');
  const { body: cadences } = await group.owner.get(`${group.at}/iteration_cadences`, { automatic: false });
  assert.deepEqual(
    cadences.map(({ title }: { title: string }) => title),
    ['Team Iterations'],
  );
});

test('rejects invalid iterations with field errors', async () => {
  const group = await here.newGroup();
  await newIteration(group, days.start_date, days.due_date, { title: 'One' });
  const next = { start_date: '2026-02-15', due_date: '2026-02-28' };
  for (const [params, message] of [
    [{ ...next, due_date: next.start_date }, { due_date: ['must be greater than start date'] }],
    [{ ...next, start_date: '2026-02-14' }, { base: [OVERLAP] }],
    [{ start_date: '2026-01-03', due_date: '2026-02-01' }, { base: [OVERLAP] }],
    [{ ...next, title: 'One' }, { title: ['already being used for another iteration within this cadence.'] }],
    [{ ...next, title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
  ] as const) {
    const refused = await group.owner.post(`${group.at}/iterations`, params);
    assert.deepEqual([refused.status, refused.body], [400, { message }]);
  }
  assert.equal((await listPeriods(group)).length, 1);
  const { error } = (await group.owner.post(`${group.at}/iterations`, { start_date: '' })).body;
  assert.equal(error, 'start_date is missing, due_date is missing');
});

test('rejects iterations in automatic cadences and cadences of other groups', async () => {
  const group = await here.newGroup();
  const below = await here.newGroup({ in: group });
  const { id: iterations_cadence_id } = await newCadence(group);
  const message = 'Iterations cannot be manually added to cadences that use automatic scheduling';
  const refused = await group.owner.post(`${group.at}/iterations`, { ...days, iterations_cadence_id });
  assert.deepEqual([refused.status, refused.body], [400, { message }]);
  const missing = await below.owner.post(`${below.at}/iterations`, { ...days, iterations_cadence_id });
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
});

test('creates one of several concurrent overlapping iterations, and all non-overlapping ones with gapless iids', async () => {
  const group = await here.newGroup();
  const same = await Promise.all(Array.from({ length: 6 }, () => group.owner.post(`${group.at}/iterations`, days)));
  assert.deepEqual(same.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400, 400]);
  const months = [1, 2, 3, 4, 5].map((at) => ({ start_date: `2027-0${at}-01`, due_date: `2027-0${at}-20` }));
  const others = await Promise.all(months.map((params) => group.owner.post(`${group.at}/iterations`, params)));
  assert.deepEqual(others.map(({ body }) => body.iid).toSorted(), [2, 3, 4, 5, 6]);
});

test('returns 403 to Guests and 401 to anonymous callers who create iterations', async () => {
  const group = await here.newGroup({ visibility: 'public', with: ['guest', 'planner'] });
  const path = `${group.at}/iterations`;
  assert.equal((await group.guest.post(path, days)).status, 403);
  assert.equal((await here.anonymous.post(path, days)).status, 401);
  assert.equal((await group.planner.post(path, days)).status, 201);
});
