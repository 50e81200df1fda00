import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { group, owner, guest, planner, user, newProject, newGroup, server, runJobs } = await world({
  group: { visibility: 'private', with: ['guest', 'planner'] },
});

type At = { readonly at: string };

const newLabel = async ({ at }: At, params: object) =>
  (await expectSuccess(owner.post(`${at}/labels`, { color: 'red', ...params }))).body as { id: number };

const labelsOf = async ({ at }: At, titled: string, by: Caller = owner) =>
  (await by.get(`${at}/labels`)).body.filter(({ name }: { name: string }) => name === titled);

test('moves a promoted label to the group and merges all of its title below', async () => {
  const low = await newGroup({ in: group });
  const [one, other] = [await newProject({ in: group }), await newProject({ in: low })];
  const own = await newLabel(one, { name: 'bug', color: '#123456', description: 'Wrong', priority: 3 });
  await newLabel(other, { name: 'bug', color: 'blue', priority: 5 });
  const [issue, far] = [await newIssue(one, { labels: 'bug' }), await newIssue(other, { labels: 'bug' })];
  for (const { at } of [one, other]) await expectSuccess(guest.post(`${at}/labels/bug/subscribe`));
  const { status, body } = await planner.put(`${one.at}/labels/bug/promote`);
  assert.equal(status, 200);
  const { id, ...label } = body;
  assert.notEqual(id, own.id);
  assert.deepEqual(label, {
    name: 'bug',
    description: 'Wrong',
    description_html: 'Wrong',
    text_color: '#FFFFFF',
    color: '#123456',
    archived: false,
    subscribed: false,
  });
  for (const [place, priority] of [
    [one, 3],
    [other, 5],
  ] as const) {
    const found = await labelsOf(place, 'bug', guest);
    assert.deepEqual(
      found.map((row: Record<string, unknown>) => [row.id, row.priority, row.is_project_label, row.subscribed]),
      [[id, priority, false, true]],
    );
  }
  for (const { at } of [issue, far]) {
    assert.deepEqual((await owner.get(at)).body.labels, ['bug']);
    const events = (await owner.get(`${at}/resource_label_events`)).body;
    assert.deepEqual([events.length, events[0].label.id, (await owner.get(`${at}/notes`)).body], [1, id, []]);
  }
  assert.equal((await owner.get(`${group.at}/issues`, { labels: 'bug' })).headers['x-total'], '2');
});

test('merges the project label into an existing group label with its title', async () => {
  const project = await newProject({ in: group });
  const own = await newLabel(project, { name: 'later' });
  const both = await newIssue(project, { labels: 'later' });
  const above = await newLabel(group, { name: 'later', color: 'blue' });
  // The issue has both labels that are merged.
  await server.services.database.transaction((tx) =>
    tx.insertInto('issue_labels').values({ issue_id: both.id, label_id: above.id }).execute(),
  );
  const { body } = await expectSuccess(planner.put(`${project.at}/labels/promote`, { name: 'later' }));
  assert.deepEqual([body.id, body.color], [above.id, '#0000FF']);
  assert.deepEqual((await owner.get(both.at)).body.labels, ['later']);
  assert.equal((await owner.get(`${project.at}/labels/${own.id}`)).status, 404);
});

test('returns the reason to callers who may not promote', async () => {
  const project = await newProject({ in: group });
  const { id } = await newLabel(project, { name: 'mine' });
  const inherited = await newLabel(group, { name: 'above' });
  const helper = await user();
  await project.addMember('planner', helper);
  const personal = await newProject({ owner });
  await newLabel(personal, { name: 'mine' });
  for (const [by, at, status, message] of [
    [guest, `${project.at}/labels/${id}`, 403, '403 Forbidden'],
    [helper, `${project.at}/labels/${id}`, 403, '403 Forbidden'],
    [planner, `${project.at}/labels/${inherited.id}`, 404, '404 Label Not Found'],
    [planner, `${project.at}/labels/nothing`, 404, '404 Label Not Found'],
    [owner, `${personal.at}/labels/mine`, 400, 'Failed to promote project label to group label'],
  ] as const) {
    const answer = await by.put(`${at}/promote`);
    assert.deepEqual([answer.status, answer.body], [status, { message }]);
  }
  assert.deepEqual((await planner.put(`${project.at}/labels/promote`)).body, { error: 'name is missing' });
  assert.equal((await labelsOf(project, 'mine'))[0].id, id);
});

test('merges very many issues in batches by a background job', async () => {
  const project = await newProject({ in: group });
  const { id } = await newLabel(project, { name: 'common' });
  const issue = await newIssue(project);
  await server.services.database.transaction(async (tx) => {
    const { id: _id, ...row } = await tx
      .selectFrom('issues')
      .selectAll()
      .where('id', '=', issue.id)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 1_100 }, (_, index) => ({ ...row, iid: 1_000 + index }));
    for (let start = 0; start < rows.length; start += 100) {
      const made = await tx
        .insertInto('issues')
        .values(rows.slice(start, start + 100))
        .returning('id')
        .execute();
      await tx
        .insertInto('issue_labels')
        .values(made.map((one) => ({ issue_id: one.id, label_id: id })))
        .execute();
    }
  });
  const { body } = await expectSuccess(planner.put(`${project.at}/labels/common/promote`));
  await runJobs();
  const counted = await owner.get(`${group.at}/labels`, { with_counts: true, search: 'common' });
  assert.deepEqual([counted.body[0].id, counted.body[0].open_issues_count], [body.id, 1_100]);
  assert.equal((await labelsOf(project, 'common')).length, 1);
});
