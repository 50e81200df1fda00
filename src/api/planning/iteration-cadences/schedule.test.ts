import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_SIZE } from '#events/batches.ts';
import { expectSuccess, type Group, world } from '#test/support/world.ts';
import { AUTOMATIC, listPeriods, newCadence } from './fixtures.testing.ts';

const here = await world();
const { database } = here.server.services;
const DAY = 24 * 60 * 60;

// Starts the daily jobs.
await here.runJobs();

/** Advances the clock by this number of days. The tests share the clock. */
const later = (days: number) => here.clock.advance(days * DAY);
const today = () => here.clock.now().toISOString().slice(0, 10);
const beginning = (params = {}) => ({ ...AUTOMATIC, start_date: today(), ...params });
const statesOf = async ({ at, owner }: Group) =>
  (await expectSuccess(owner.get(`${at}/iterations`))).body.map(({ state }: { state: number }) => state);

test('appends missing iterations daily and removes none', async () => {
  const group = await here.newGroup();
  await newCadence(group, beginning());
  later(14);
  await here.runJobs();
  const rows = await database.reader.selectFrom('iterations').select('id').where('group_id', '=', group.id).execute();
  assert.equal(rows.length, 4);
  assert.deepEqual(await statesOf(group), [3, 2, 1, 1]);
});

test('creates missing iterations before reads, once for concurrent ones', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  const { id } = await newCadence(group, beginning());
  await listPeriods(group);
  later(28);
  const read = (path: string) => group.owner.get(path);
  const paths = [`${group.at}/iterations`, `${project.at}/iterations`, `${group.at}/iteration_cadences`];
  const all = await Promise.all([...paths, ...paths].map(read));
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(await statesOf(group), [3, 3, 2, 1, 1]);
  const { body } = await read(`${group.at}/iteration_cadences/${id}`);
  assert.equal(body.next_run_date > today(), true);
  assert.equal((await listPeriods(group)).length, 5);
  await here.runJobs();
  assert.equal((await listPeriods(group)).length, 5);
});

test('schedules nothing while a cadence is inactive and continues afterwards', async () => {
  const group = await here.newGroup();
  const { id } = await newCadence(group, beginning({ duration_in_weeks: 1, iterations_in_advance: 1 }));
  const path = `${group.at}/iteration_cadences/${id}`;
  await expectSuccess(group.owner.put(path, { active: false }));
  later(14);
  await here.runJobs();
  assert.deepEqual(await statesOf(group), [3, 3]);
  await expectSuccess(group.owner.put(path, { active: true }));
  assert.deepEqual(await statesOf(group), [3, 3, 2, 1]);
});

/** A project with an issue of each state in the current iteration of its group's cadence. */
async function planned(params = {}) {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  await newCadence(group, beginning(params));
  const [{ id }] = (await expectSuccess(group.owner.get(`${group.at}/iterations`, { state: 'current' }))).body;
  const file = async (title: string) =>
    (await expectSuccess(group.owner.post(`${project.at}/issues`, { title, iteration_id: id }))).body.iid as number;
  const [open, closed] = [await file('Open'), await file('Closed')];
  await expectSuccess(group.owner.put(`${project.at}/issues/${closed}`, { state_event: 'close' }));
  const sequenceOf = async (iid: number) =>
    (await expectSuccess(group.owner.get(`${project.at}/issues/${iid}`))).body.iteration.sequence;
  return { group, project, id, open, closed, sequenceOf };
}

test('moves open issues of a closed iteration if roll_over is set', async () => {
  const [rolling, staying] = [await planned({ roll_over: true }), await planned()];
  later(14);
  await here.runJobs();
  assert.deepEqual([await rolling.sequenceOf(rolling.open), await rolling.sequenceOf(rolling.closed)], [2, 1]);
  assert.equal(await staying.sequenceOf(staying.open), 1);
});

test('moves open issues over several missed days, and keeps issues that are moved back later', async () => {
  const { group, project, id, open, sequenceOf } = await planned({ roll_over: true });
  later(31);
  await listPeriods(group);
  await here.runJobs();
  assert.equal(await sequenceOf(open), 3);
  await expectSuccess(group.owner.put(`${project.at}/issues/${open}`, { iteration_id: id }));
  later(14);
  await here.runJobs();
  assert.equal(await sequenceOf(open), 1);
});

test('moves very many issues in batches', async () => {
  const { project, id, open } = await planned({ roll_over: true });
  const copy = await database.reader.selectFrom('issues').selectAll().where('iteration_id', '=', id).execute();
  const { id: _id, ...row } = copy.find(({ iid }) => iid === open)!;
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: BATCH_SIZE }, (_, at) => ({ ...row, iid: 10 + at }));
    for (let at = 0; at < BATCH_SIZE; at += 20)
      await tx
        .insertInto('issues')
        .values(rows.slice(at, at + 20))
        .execute();
  });
  later(14);
  await here.runJobs();
  const left = await database.reader
    .selectFrom('issues')
    .select('iid')
    .where('project_id', '=', project.id)
    .where('iteration_id', '=', id)
    .execute();
  assert.equal(left.length, 1);
});
