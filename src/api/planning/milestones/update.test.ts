import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

const here = await world();

async function newMilestone({ at, owner }: Pick<Project, 'at' | 'owner'>, params = {}) {
  const { status, body } = await owner.post(`${at}/milestones`, { title: here.name('v'), ...params });
  assert.equal(status, 201);
  return body;
}

/** Returns action, target id and target iid of the project's activity events for milestones. */
async function milestoneEvents({ id }: Project): Promise<(readonly [string, number | null, number | null])[]> {
  const rows = await here.server.services.database.reader
    .selectFrom('activity_events')
    .select(['action', 'target_id', 'target_iid'])
    .where('project_id', '=', id)
    .where('target_type', '=', 'Milestone')
    .orderBy('id')
    .execute();
  return rows.map(({ action, target_id, target_iid }) => [action, target_id, target_iid]);
}

test('updates given attributes, clears empty ones and keeps the others', async () => {
  const project = await here.newProject();
  const dates = { start_date: '2026-02-01', due_date: '2026-02-14' };
  const made = await newMilestone(project, { description: 'Old', ...dates });
  const put = async (params: object) => {
    const { body } = await project.owner.put(`${project.at}/milestones/${made.id}`, { ...params });
    return { ...body, updated_at: made.updated_at };
  };
  assert.deepEqual(await put({ title: ' New ' }), { ...made, title: 'New' });
  assert.deepEqual(await put({ due_date: '', description: null }), {
    ...made,
    title: 'New',
    description: null,
    due_date: null,
  });
  assert.equal(
    (await project.owner.put(`${project.at}/milestones/${made.id}`, { start_date: null })).body.start_date,
    null,
  );
});

test('keeps updated_at if nothing changes', async () => {
  const project = await here.newProject();
  const made = await newMilestone(project, { description: 'Old', due_date: '2026-02-14' });
  here.clock.advance(1000);
  const { title, description, due_date } = made;
  const same = { title: ` ${title}`, description, due_date, start_date: '', state_event: 'activate' };
  const put = async (params: object) =>
    (await expectSuccess(project.owner.put(`${project.at}/milestones/${made.id}`, { ...params }))).body;
  assert.deepEqual(await put(same), made);
  assert.notEqual((await put({ description: 'New' })).updated_at, made.updated_at);
});

test('records closing and reopening a project milestone once', async () => {
  const project = await here.newProject();
  const { id, iid } = await newMilestone(project);
  const put = async (state_event: string) =>
    (await project.owner.put(`${project.at}/milestones/${id}`, { state_event })).body.state;
  assert.deepEqual(
    [await put('close'), await put('close'), await put('activate'), await put('activate')],
    ['closed', 'closed', 'active', 'active'],
  );
  assert.deepEqual(await milestoneEvents(project), [
    ['created', id, iid],
    ['closed', id, iid],
    ['reopened', id, iid],
  ]);
});

test('records one event when five requests close a milestone concurrently', async () => {
  const project = await here.newProject();
  const { id } = await newMilestone(project);
  const close = () => project.owner.put(`${project.at}/milestones/${id}`, { state_event: 'close' });
  const all = await Promise.all(Array.from({ length: 5 }, close));
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
  assert.equal((await milestoneEvents(project)).filter(([action]) => action === 'closed').length, 1);
});

test('deletes a milestone and its events except the one for the deletion', async () => {
  const project = await here.newProject();
  const { id } = await newMilestone(project);
  const { owner, at } = project;
  const issue = (await owner.post(`${at}/issues`, { title: 'In it' })).body;
  await here.server.services.database.transaction((tx) =>
    tx.updateTable('issues').set({ milestone_id: id }).where('id', '=', issue.id).execute(),
  );
  assert.equal((await owner.delete(`${at}/milestones/${id}`)).status, 204);
  assert.equal((await owner.get(`${at}/milestones/${id}`)).status, 404);
  assert.equal((await owner.get(`${at}/issues/${issue.iid}`)).body.milestone, null);
  assert.equal((await owner.delete(`${at}/milestones/${id}`)).status, 404);
  assert.deepEqual(await milestoneEvents(project), [['destroyed', null, null]]);
});

test('rejects invalid changes without changing anything', async () => {
  const project = await here.newProject();
  const [other, made] = [await newMilestone(project), await newMilestone(project, { start_date: '2026-02-01' })];
  const put = (params: object) => project.owner.put(`${project.at}/milestones/${made.id}`, { ...params });
  for (const [params, text] of [
    [{ title: other.title }, '{:title=>["already being used for another group or project milestone."]}'],
    [{ title: '' }, `{:title=>["can't be blank"]}`],
    [{ due_date: '2026-01-01', state_event: 'close' }, '{:due_date=>["must be greater than start date"]}'],
  ] as const) {
    const { status, body } = await put(params);
    assert.deepEqual([status, body], [400, { message: `Failed to update milestone ${text}` }]);
  }
  const nothing = await put({});
  const names = 'title, description, start_date, due_date, state_event';
  assert.deepEqual(nothing.body, { error: `${names} are missing, at least one parameter must be provided` });
  assert.equal((await put({ title: made.title })).status, 200);
  assert.equal((await project.owner.get(`${project.at}/milestones/${made.id}`)).body.state, 'active');
});

test('updates a group milestone in its group only and records no event', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ in: group });
  const { id } = await newMilestone(group);
  const missing = [404, { message: '404 Not found' }];
  for (const answer of [
    await group.owner.put(`${project.at}/milestones/${id}`, { state_event: 'close' }),
    await group.owner.delete(`${project.at}/milestones/${id}`),
  ]) {
    assert.deepEqual([answer.status, answer.body], missing);
  }
  assert.equal((await group.owner.put(`${group.at}/milestones/${id}`, { state_event: 'close' })).body.state, 'closed');
  assert.equal((await group.owner.delete(`${group.at}/milestones/${id}`)).status, 204);
  assert.deepEqual(await milestoneEvents(project), []);
});

test('forbids Guests to update or delete milestones', async () => {
  const { project, guest } = await world({ project: { with: ['guest'] } });
  const { id } = await newMilestone(project);
  assert.equal((await guest.put(`${project.at}/milestones/${id}`, { title: 'mine' })).status, 403);
  assert.equal((await guest.delete(`${project.at}/milestones/${id}`)).status, 403);
  assert.equal((await guest.get(`${project.at}/milestones/${id}`)).status, 200);
});

test('closes a milestone whose title is a duplicate after a transfer, and rejects another taken title', async () => {
  const group = await here.newGroup();
  const project = await here.newProject({ owner: group.owner });
  const [above, other] = [await newMilestone(group), await newMilestone(group)];
  const { id } = await newMilestone(project, { title: above.title });
  await expectSuccess(group.owner.put(`${project.at}/transfer`, { namespace: group.id }));
  const put = (params: object) => group.owner.put(`${project.at}/milestones/${id}`, { ...params });
  assert.equal((await put({ state_event: 'close' })).body.state, 'closed');
  assert.equal((await put({ title: above.title, description: 'Late' })).status, 200);
  assert.equal((await put({ title: other.title })).status, 400);
});
