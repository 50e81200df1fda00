import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIteration } from '../iteration-cadences/fixtures.testing.ts';

type Params = Readonly<Record<string, unknown>>;

const here = await world();
const group = await here.newGroup({ with: ['guest', 'planner'] });
const team = await here.newGroup({ in: group });
const project = await here.newProject({ in: team });
const issues = `${project.at}/issues`;
const { owner, guest, planner } = group;

const now = await newIteration(group, '2026-01-01', '2026-01-14', { title: 'now' });
const next = await newIteration(team, '2026-02-01', '2026-02-14', { title: 'next' });
const foreign = await newIteration(await here.newGroup({ owner }), '2026-01-01', '2026-01-14');

const createIssue = async (title: string, params: Params = {}, by = owner) =>
  (await expectSuccess(by.post(issues, { title, ...params }))).body;
const updateIssue = async (iid: number, params: Params, by = owner) =>
  (await expectSuccess(by.put(`${issues}/${iid}`, params))).body;
const listTitles = async (params: Params, path = issues) =>
  (await expectSuccess(planner.get(path, { sort: 'asc', ...params }))).body.map(
    ({ title }: { title: string }) => title,
  );

test('shows the iteration of the project’s group or an ancestor', async () => {
  const { iid, iteration } = await createIssue('one', { iteration_id: now.id });
  assert.deepEqual(iteration, now);
  assert.deepEqual((await updateIssue(iid, { iteration_id: next.id })).iteration, next);
  const listed = await planner.get(issues);
  assert.deepEqual(listed.body[0].iteration, next);
});

test('ignores an iteration out of scope; 0 and null clear it', async () => {
  assert.equal((await createIssue('two', { iteration_id: foreign.id })).iteration, null);
  const { iid } = await createIssue('three', { iteration_id: now.id });
  for (const id of [foreign.id, 987_654])
    assert.equal((await updateIssue(iid, { iteration_id: id })).iteration.id, now.id);
  assert.equal((await updateIssue(iid, { iteration_id: 0 })).iteration, null);
  await updateIssue(iid, { iteration_id: now.id });
  assert.equal((await updateIssue(iid, { iteration_id: null })).iteration, null);
});

test('guests set the iteration only on creation, planners at any time', async () => {
  const { iid, iteration } = await createIssue('four', { iteration_id: now.id }, guest);
  assert.equal(iteration.id, now.id);
  assert.equal((await updateIssue(iid, { title: 'Four', iteration_id: next.id }, guest)).iteration.id, now.id);
  assert.equal((await updateIssue(iid, { iteration_id: next.id }, planner)).iteration.id, next.id);
});

test('filters issues by iteration id, title and current iteration', async () => {
  const elsewhere = await here.newProject({ in: team });
  const list = `${elsewhere.at}/issues`;
  for (const [title, iteration_id] of [
    ['a', now.id],
    ['b', next.id],
    ['c', null],
  ] as const) {
    await expectSuccess(owner.post(list, { title, iteration_id }));
  }
  for (const [params, expected] of [
    [{ iteration_id: now.id }, ['a']],
    [{ iteration_id: 'None' }, ['c']],
    [{ iteration_id: 'any' }, ['a', 'b']],
    [{ iteration_id: 'Current' }, ['a']],
    [{ iteration_title: 'next' }, ['b']],
    [{ iteration_title: 'nex' }, []],
    [{ 'not[iteration_id]': now.id }, ['b', 'c']],
    [{ 'not[iteration_id]': 'None' }, ['a', 'b']],
    [{ 'not[iteration_id]': 'Any' }, ['c']],
    [{ 'not[iteration_id]': 'Current' }, ['b', 'c']],
    [{ 'not[iteration_title]': 'now' }, ['b', 'c']],
  ] as const) {
    assert.deepEqual(await listTitles(params, list), expected, JSON.stringify(params));
    const { statistics } = (await expectSuccess(planner.get(`${elsewhere.at}/issues_statistics`, params))).body;
    assert.equal(statistics.counts.all, expected.length);
  }
  const both = await planner.get(list, { iteration_id: 1, iteration_title: 'now' });
  assert.equal(both.status, 400);
  const current = await listTitles({ iteration_id: 'Current' }, `${team.at}/issues`);
  assert.equal(current.includes('a') && !current.includes('b'), true);
});

test('moving an issue clears an iteration out of scope', async () => {
  const { iid } = await createIssue('five', { iteration_id: next.id });
  const [near, far] = [await here.newProject({ in: team }), await here.newProject({ in: group })];
  const moved = (await expectSuccess(owner.post(`${issues}/${iid}/move`, { to_project_id: near.id }))).body;
  assert.equal(moved.iteration.id, next.id);
  const path = `${near.at}/issues/${moved.iid}/move`;
  assert.equal((await expectSuccess(owner.post(path, { to_project_id: far.id }))).body.iteration, null);
});

test('a transfer clears iterations of former ancestor groups', async () => {
  const [away, other] = [await here.newGroup({ in: group }), await here.newGroup({ owner })];
  const [first, second] = [await here.newProject({ in: away }), await here.newProject({ in: away })];
  const own = await newIteration(away, '2026-01-01', '2026-01-14');
  const paths: string[] = [];
  for (const [{ at }, iteration_id] of [
    [first, now.id],
    [first, own.id],
    [second, own.id],
  ] as const) {
    const { iid } = (await expectSuccess(owner.post(`${at}/issues`, { title: 'Goes', iteration_id }))).body;
    paths.push(`${at}/issues/${iid}`);
  }
  const left = async () => {
    await here.runJobs();
    return Promise.all(paths.map(async (path) => (await expectSuccess(owner.get(path))).body.iteration?.id ?? null));
  };
  await expectSuccess(owner.post(`${away.at}/transfer`, { group_id: other.id }));
  assert.deepEqual(await left(), [null, own.id, own.id]);
  await expectSuccess(owner.put(`${second.at}/transfer`, { namespace: group.id }));
  assert.deepEqual(await left(), [null, own.id, null]);
});

test('personal projects and the free tier have no iterations', async () => {
  const personal = await here.newProject({ owner });
  const { body } = await owner.post(`${personal.at}/issues`, { title: 'mine', iteration_id: now.id });
  assert.equal('iteration' in body, false);
  const free = await world({ env: { HEARTH_TIER: 'free' }, project: {} });
  const filed = await free.owner.post(`${free.project.at}/issues`, { title: 'mine', iteration_id: 1 });
  assert.deepEqual([filed.status, 'iteration' in filed.body], [201, false]);
});
