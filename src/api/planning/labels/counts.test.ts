import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

const { newGroup, newProject, server, user } = await world();

test('counts the readable issues and merge requests of each label', async () => {
  const group = await newGroup({ with: ['guest'] });
  const [project, other] = [await newProject({ in: group }), await newProject({ in: group })];
  const { owner, guest } = group;
  const label = (await owner.post(`${group.at}/labels`, { name: 'seen', color: 'red' })).body;
  await owner.post(`${project.at}/labels`, { name: 'unused', color: 'red' });
  const issues = [
    await owner.post(`${project.at}/issues`, { title: 'Open' }),
    await owner.post(`${other.at}/issues`, { title: 'Elsewhere' }),
    await owner.post(`${other.at}/issues`, { title: 'Closed' }),
    await owner.post(`${project.at}/issues`, { title: 'Hidden', confidential: true }),
  ].map(({ body }) => ({ issue_id: body.id as number, label_id: label.id }));
  await server.services.database.transaction(async (tx) => {
    await tx.insertInto('issue_labels').values(issues).execute();
    await tx.updateTable('issues').set({ state: 'closed' }).where('id', '=', issues[2]!.issue_id).execute();
  });
  const counts = async (who: Caller, path: string) => {
    const { body } = await who.get(path, { with_counts: true });
    return body.map((row: Record<string, unknown>) => [
      row.name,
      row.open_issues_count,
      row.closed_issues_count,
      row.open_merge_requests_count,
    ]);
  };
  assert.deepEqual(await counts(owner, `${project.at}/labels`), [
    ['seen', 3, 1, 0],
    ['unused', 0, 0, 0],
  ]);
  assert.deepEqual(await counts(guest, `${group.at}/labels`), [['seen', 2, 1, 0]]);
  const { body } = await owner.get(`${group.at}/labels`);
  assert.equal('open_issues_count' in body[0], false);
});

test('counts confidential issues once for their author, assignees and members who may read them', async () => {
  const group = await newGroup({ visibility: 'public', with: ['guest', 'planner'] });
  const project = await newProject({ in: group, visibility: 'public' });
  const { owner, guest, planner } = group;
  await owner.post(`${project.at}/labels`, { name: 'bug', color: 'red' });
  const file = async (by: Caller, params: object) =>
    (await expectSuccess(by.post(`${project.at}/issues`, { title: 'One', labels: 'bug', ...params }))).body.iid;
  const own = await file(guest, { confidential: true });
  const his = await file(owner, { assignee_ids: [guest.id] });
  await expectSuccess(owner.put(`${project.at}/issues/${his}`, { confidential: true }));
  await file(guest, { confidential: true, assignee_ids: [guest.id] });
  await file(owner, { confidential: true });
  const counts = async (who: Caller) => {
    const [{ open_issues_count, closed_issues_count }] = (
      await expectSuccess(who.get(`${project.at}/labels?with_counts=1`))
    ).body;
    return [open_issues_count, closed_issues_count];
  };
  assert.deepEqual(
    [await counts(guest), await counts(planner), await counts(await user())],
    [
      [3, 0],
      [4, 0],
      [0, 0],
    ],
  );
  await expectSuccess(guest.put(`${project.at}/issues/${own}`, { state_event: 'close' }));
  assert.deepEqual(
    [await counts(guest), await counts(planner)],
    [
      [2, 1],
      [3, 1],
    ],
  );
  await expectSuccess(planner.put(`${project.at}/issues/${own}`, { confidential: false }));
  assert.deepEqual(
    [await counts(await user()), await counts(planner)],
    [
      [0, 1],
      [3, 1],
    ],
  );
  await expectSuccess(owner.delete(`${project.at}/issues/${own}`));
  assert.deepEqual(await counts(planner), [3, 0]);
});
