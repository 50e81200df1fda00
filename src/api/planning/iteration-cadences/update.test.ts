import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, world } from '#test/support/world.ts';
import { AUTOMATIC, listPeriods, newCadence, newIteration } from './fixtures.testing.ts';

const here = await world();

const put = async ({ at, owner }: Group, id: number, params: object) =>
  (await expectSuccess(owner.put(`${at}/iteration_cadences/${id}`, { ...params }))).body;

test('changes only upcoming iterations for a new duration', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group);
  const { next_run_date } = await put(group, id, { duration_in_weeks: 1 });
  assert.equal(next_run_date, '2026-01-16');
  assert.deepEqual(await listPeriods(group), [
    '2026-01-02 2026-01-15',
    '2026-01-16 2026-01-22',
    '2026-01-23 2026-01-29',
  ]);
});

test('moves upcoming iterations for a new start date; creates more in advance but removes none', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group);
  await put(group, id, { start_date: '2026-02-01' });
  const moved = ['2026-01-02 2026-01-15', '2026-02-01 2026-02-14', '2026-02-15 2026-02-28'];
  assert.deepEqual(await listPeriods(group), moved);
  await put(group, id, { iterations_in_advance: 3 });
  assert.deepEqual(await listPeriods(group), [...moved, '2026-03-01 2026-03-14']);
  await put(group, id, { iterations_in_advance: 1 });
  assert.equal((await listPeriods(group)).length, 4);
});

test('keeps the iterations of a cadence that becomes manual and clears its schedule', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group, { ...AUTOMATIC, roll_over: true });
  const body = await put(group, id, { automatic: false });
  const { duration_in_weeks, iterations_in_advance, roll_over, next_run_date, start_date } = body;
  assert.deepEqual(
    [duration_in_weeks, iterations_in_advance, roll_over, next_run_date, start_date],
    [null, null, false, null, '2026-01-02'],
  );
  assert.equal((await listPeriods(group)).length, 3);
});

test('schedules a manual cadence that becomes automatic after its current iteration', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group, { automatic: false });
  await newIteration(group, '2026-01-01', '2026-01-04', { title: 'By hand' });
  await newIteration(group, '2026-05-01', '2026-05-04');
  const refused = await group.owner.put(`${group.at}/iteration_cadences/${id}`, { automatic: true });
  assert.deepEqual(Object.keys(refused.body.message), ['start_date', 'duration_in_weeks', 'iterations_in_advance']);
  await put(group, id, { ...AUTOMATIC, automatic: true });
  assert.deepEqual(await listPeriods(group), [
    '2026-01-01 2026-01-04',
    '2026-01-05 2026-01-18',
    '2026-01-19 2026-02-01',
  ]);
});

test('clears titles of upcoming iterations when a cadence becomes automatic', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group, { automatic: false });
  await newIteration(group, '2026-01-01', '2026-01-04', { title: 'By hand' });
  await newIteration(group, '2026-05-01', '2026-05-04', { title: 'Later', description: 'kept' });
  await put(group, id, { ...AUTOMATIC, automatic: true });
  const { body } = await group.owner.get(`${group.at}/iterations`);
  assert.deepEqual(
    body.map((one: { title: string; description: string }) => [one.title, one.description]),
    [
      ['By hand', null],
      [null, 'kept'],
      [null, null],
    ],
  );
});

test('updates an inactive automatic cadence with a start date long ago', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group, { ...AUTOMATIC, active: false });
  here.clock.advance(100 * 86_400);
  assert.equal((await put(group, id, { description: 'Asleep' })).description, 'Asleep');
  const refused = await group.owner.put(`${group.at}/iteration_cadences/${id}`, { active: true });
  assert.deepEqual([refused.status, Object.keys(refused.body.message)], [400, ['base']]);
  here.clock.advance(-100 * 86_400);
});

test('schedules no iteration after the last day of the calendar', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group, { automatic: false });
  await newIteration(group, '2026-01-01', '9999-12-31');
  const refused = await group.owner.put(`${group.at}/iteration_cadences/${id}`, { ...AUTOMATIC, automatic: true });
  assert.deepEqual([refused.status, refused.body], [400, { message: { start_date: ['is not included in the list'] } }]);
  assert.deepEqual(await listPeriods(group), ['2026-01-01 9999-12-31']);
});

test('reads but does not update a cadence of an ancestor group, and requires a change', async () => {
  const group = await here.newGroup();
  const below = await here.newGroup({ in: group });
  const { id } = await newCadence(group);
  const path = `${below.at}/iteration_cadences/${id}`;
  assert.equal((await below.owner.get(path)).body.id, id);
  const missing = await below.owner.put(path, { title: 'Mine' });
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  assert.equal((await below.owner.delete(path)).status, 404);
  const { error } = (await group.owner.put(`${group.at}/iteration_cadences/${id}`, { other: 1 })).body;
  assert.match(error, /^title, description, active, .*roll_over are missing, at least one parameter must be provided$/);
});

test('deletes a cadence with its iterations and clears them from issues', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  const { id } = await newCadence(group);
  const [iteration] = (await group.owner.get(`${group.at}/iterations`)).body;
  const { iid } = (
    await expectSuccess(group.owner.post(`${project.at}/issues`, { title: 'One', iteration_id: iteration.id }))
  ).body;
  assert.equal((await group.owner.delete(`${group.at}/iteration_cadences/${id}`)).status, 204);
  assert.equal((await group.owner.get(`${group.at}/iteration_cadences/${id}`)).status, 404);
  assert.deepEqual(await listPeriods(group), []);
  assert.equal((await group.owner.get(`${project.at}/issues/${iid}`)).body.iteration, null);
});
