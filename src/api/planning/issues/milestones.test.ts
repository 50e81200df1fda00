import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

type Params = Readonly<Record<string, unknown>>;

const { newGroup, newProject, server } = await world();
const group = await newGroup({ with: ['guest', 'planner'] });
const project = await newProject({ in: group });
const { owner, guest, planner } = group;
const issues = `${project.at}/issues`;

const createIssue = async (title: string, params: Params = {}) =>
  (await expectSuccess(owner.post(issues, { title, ...params }))).body as {
    id: number;
    iid: number;
    milestone: unknown;
  };
const createMilestone = async (at: string, title: string, params: Params = {}) =>
  (await expectSuccess(owner.post(`${at}/milestones`, { title, ...params }))).body as { id: number };
const listTitles = async (params: Params, path = issues) =>
  (await expectSuccess(planner.get(path, { sort: 'asc', ...params }))).body.map(
    ({ title }: { title: string }) => title,
  );

const early = await createMilestone(project.at, 'early', { start_date: '2025-01-01', due_date: '2025-06-01' });
const late = await createMilestone(group.at, 'late', { due_date: '2027-06-01' });

test('shows a milestone of the project or an ancestor group', async () => {
  const one = await createIssue('one', { milestone_id: late.id });
  const { body } = await owner.get(`${group.at}/milestones/${late.id}`);
  assert.deepEqual(one.milestone, body);
  await expectSuccess(owner.put(`${issues}/${one.iid}`, { milestone_id: early.id }));
  await expectSuccess(owner.put(`${issues}/${one.iid}`, { milestone_id: 0 }));
  const rows = await server.services.database.reader
    .selectFrom('resource_milestone_events')
    .select(['action', 'milestone_id'])
    .where('issue_id', '=', one.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ action, milestone_id }) => [action, milestone_id]),
    [
      ['add', late.id],
      ['add', early.id],
      ['remove', early.id],
    ],
  );
});

test('filters issues by milestone title and keyword, and orders them by its due date', async () => {
  await createIssue('two', { milestone_id: late.id });
  await createIssue('three', { milestone_id: early.id });
  for (const [params, expected] of [
    [{ milestone: 'late' }, ['two']],
    [{ milestone: 'none' }, ['one']],
    [{ milestone_id: 'Any' }, ['two', 'three']],
    [{ milestone_id: 'Upcoming' }, ['two']],
    [{ milestone_id: 'Started' }, ['three']],
    [{ 'not[milestone]': 'late' }, ['one', 'three']],
    [{ order_by: 'milestone_due' }, ['three', 'two', 'one']],
    [{ order_by: 'priority', sort: 'desc' }, ['two', 'three', 'one']],
  ] as const) {
    assert.deepEqual(await listTitles(params), expected, JSON.stringify(params));
  }
});

test('a milestone lists its issues in any state by label priority, without confidential ones for guests', async () => {
  const { id } = await createMilestone(group.at, 'all');
  await expectSuccess(owner.post(`${project.at}/labels`, { name: 'soon', color: 'red', priority: 1 }));
  const [first] = [
    await createIssue('first', { milestone_id: id, labels: 'soon' }),
    await createIssue('second', { milestone_id: id }),
  ];
  await createIssue('secret', { milestone_id: id, confidential: true });
  await expectSuccess(owner.put(`${issues}/${first.iid}`, { state_event: 'close' }));
  const path = `${group.at}/milestones/${id}/issues`;
  assert.deepEqual(await listTitles({}, path), ['first', 'secret', 'second']);
  const { body, headers } = await guest.get(path);
  assert.deepEqual([body.map(({ title }: { title: string }) => title), headers['x-total']], [['first', 'second'], '2']);
  const missing = await guest.get(`${project.at}/milestones/987654/issues`);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
});
