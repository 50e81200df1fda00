import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { listPeriods, newCadence, newIteration } from '../iteration-cadences/fixtures.testing.ts';

const here = await world();

test('updates given attributes, clears empty ones and keeps the others', async () => {
  const group = await here.newGroup();
  const made = await newIteration(group, '2026-02-01', '2026-02-14', { title: 'One', description: 'Old' });
  const put = async (params: object) =>
    (await expectSuccess(group.owner.put(`${group.at}/iterations/${made.id}`, { ...params }))).body;
  assert.deepEqual(await put({ title: ' New ', due_date: '2026-02-20' }), {
    ...made,
    title: 'New',
    due_date: '2026-02-20',
  });
  assert.deepEqual(await put({ title: '', description: null }), {
    ...made,
    title: null,
    description: null,
    due_date: '2026-02-20',
  });
  const blank = await group.owner.put(`${group.at}/iterations/${made.id}`, { start_date: '' });
  assert.deepEqual([blank.status, blank.body], [400, { message: { start_date: ["can't be blank"] } }]);
});

test('rejects overlapping dates but accepts the iteration’s own', async () => {
  const group = await here.newGroup();
  const { id } = await newIteration(group, '2026-02-01', '2026-02-14');
  await newIteration(group, '2026-02-15', '2026-02-28');
  const path = `${group.at}/iterations/${id}`;
  assert.equal((await group.owner.put(path, { due_date: '2026-02-15' })).status, 400);
  assert.equal((await group.owner.put(path, { start_date: '2026-02-03', due_date: '2026-02-14' })).status, 200);
});

test('updates only the description of an automatically created iteration', async () => {
  const group = await here.newGroup();
  await newCadence(group);
  const [first] = (await group.owner.get(`${group.at}/iterations`)).body;
  const path = `${group.at}/iterations/${first.id}`;
  const message = 'Only the description of an automatically scheduled iteration can be changed';
  for (const params of [{ title: 'Mine' }, { start_date: '2026-01-03' }, { due_date: '2026-01-10' }]) {
    const refused = await group.owner.put(path, params);
    assert.deepEqual([refused.status, refused.body], [400, { message }]);
  }
  const { body } = await group.owner.put(path, { description: 'Soon', start_date: first.start_date });
  assert.deepEqual(body, { ...first, description: 'Soon' });
});

test('keeps updated_at if nothing changes', async () => {
  const group = await here.newGroup();
  const made = await newIteration(group, '2026-02-01', '2026-02-14', { title: 'One', description: 'Old' });
  here.clock.advance(60_000);
  const put = async (params: object) =>
    (await expectSuccess(group.owner.put(`${group.at}/iterations/${made.id}`, { ...params }))).body;
  assert.deepEqual(await put({ title: ' One ', description: 'Old', due_date: '2026-02-14' }), made);
  assert.notEqual((await put({ description: 'New' })).updated_at, made.updated_at);
});

test('returns 404 for updating or deleting an iteration of an ancestor group', async () => {
  const group = await here.newGroup();
  const below = await here.newGroup({ in: group });
  const { id } = await newIteration(group, '2026-02-01', '2026-02-14');
  assert.equal((await below.owner.get(`${below.at}/iterations/${id}`)).status, 200);
  assert.equal((await below.owner.put(`${below.at}/iterations/${id}`, { title: 'Mine' })).status, 404);
  assert.equal((await below.owner.delete(`${below.at}/iterations/${id}`)).status, 404);
});

test('deletes a current or upcoming iteration only if it is the last of its cadence', async () => {
  const group = await here.newGroup();
  const past = await newIteration(group, '2025-02-01', '2025-02-14');
  const next = await newIteration(group, '2026-02-01', '2026-02-14');
  const last = await newIteration(group, '2026-03-01', '2026-03-14');
  const remove = async ({ id }: { id: number }) => group.owner.delete(`${group.at}/iterations/${id}`);
  const rejected = await remove(next);
  const message = ["upcoming/current iterations can't be deleted unless they are the last one in the cadence"];
  assert.deepEqual([rejected.status, rejected.body], [422, { message }]);
  assert.deepEqual(
    [(await remove(past)).status, (await remove(last)).status, (await remove(next)).status],
    [204, 204, 204],
  );
  assert.equal((await remove(next)).status, 404);
  assert.deepEqual(await listPeriods(group), []);
});

test('replaces a deleted iteration of an automatic cadence and clears it from issues', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  await newCadence(group);
  const before = (await group.owner.get(`${group.at}/iterations`)).body;
  const { id } = before[2];
  const { iid } = (await expectSuccess(group.owner.post(`${project.at}/issues`, { title: 'One', iteration_id: id })))
    .body;
  await expectSuccess(group.owner.delete(`${group.at}/iterations/${id}`));
  const after = (await group.owner.get(`${group.at}/iterations`)).body;
  assert.deepEqual([after.length, after[2].start_date, after[2].iid], [3, before[2].start_date, 4]);
  assert.equal((await group.owner.get(`${project.at}/issues/${iid}`)).body.iteration, null);
});
