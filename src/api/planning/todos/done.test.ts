import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { describeTodos } from './fixtures.testing.ts';

const { project, owner, newGroup, runJobs } = await world({ project: { readme: true } });

const CONTENT = { content: 'x', commit_message: 'Add' };

const actionsOf = async (caller: Caller) => (await describeTodos(caller)).map((line) => line.split(' ')[0]);

test('creates one pending item on marking, and another after it is done', async () => {
  const ada = await project.addMember('planner');
  const group = await newGroup({ with: ['guest'] });
  const epic = (await expectSuccess(group.owner.post(`${group.at}/epics`, { title: 'Faster' }))).body;
  const [issue, mr] = [await newIssue(project), await newMergeRequest(project)];
  const cases: [Caller, string][] = [
    [ada, issue.at],
    [ada, mr.at],
    [group.guest, `${group.at}/epics/${epic.iid}`],
  ];
  for (const [by, at] of cases) {
    const { status, body } = await by.post(`${at}/todo`);
    assert.deepEqual([status, body.action_name, body.author.id], [201, 'marked', by.id]);
    assert.equal((await by.post(`${at}/todo`)).status, 304);
    const finished = await by.post(`/todos/${body.id}/mark_as_done`);
    assert.deepEqual([finished.status, finished.body.state], [201, 'done']);
    assert.equal((await by.post(`/todos/${body.id}/mark_as_done`)).status, 201);
    assert.equal((await owner.post(`/todos/${body.id}/mark_as_done`)).status, 404);
    assert.equal((await by.post(`${at}/todo`)).status, 201);
  }
  assert.equal((await ada.post('/todos/mark_as_done')).status, 204);
  assert.deepEqual(await describeTodos(ada), []);
  assert.equal((await describeTodos(ada, { state: 'done' })).length, 4);
});

test('returns 304 to one of two concurrent requests', async () => {
  const { at } = await newIssue(project);
  const ada = await project.addMember('guest');
  const answers = await Promise.all([ada.post(`${at}/todo`), ada.post(`${at}/todo`)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 304]);
});

test('completes the to-do items of the acting user only', async () => {
  const milestone = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
  const acts: Readonly<Record<string, Record<string, unknown>>> = {
    state: { state_event: 'close' },
    labels: { add_labels: 'bug' },
    milestone: { milestone_id: milestone.id },
    assignees: { assignee_ids: [owner.id] },
    title: { title: 'Other words' },
  };
  const ada = await project.addMember('developer');
  for (const [name, params] of Object.entries(acts)) {
    for (const { at } of [await newIssue(project), await newMergeRequest(project)]) {
      for (const one of [owner, ada]) await expectSuccess(one.post(`${at}/todo`));
      await expectSuccess(owner.put(at, params));
      const left = name === 'title' ? ['marked'] : name === 'assignees' ? ['assigned'] : [];
      assert.deepEqual(await actionsOf(owner), left, `${name} ${at}`);
      assert.deepEqual(await actionsOf(ada), ['marked']);
      for (const one of [owner, ada]) await one.post('/todos/mark_as_done');
    }
  }
});

test('completes to-do items on comments, emoji, approvals, pushes and merges', async () => {
  const ada = await project.addMember('maintainer');
  const mr = await newMergeRequest(project);
  const acts = [
    () => expectSuccess(ada.post(`${mr.at}/notes`, { body: 'Fine' })),
    () => expectSuccess(ada.post(`${project.repository}/files/pushed.txt`, { branch: mr.source_branch, ...CONTENT })),
    () => expectSuccess(ada.post(`${mr.at}/award_emoji`, { name: 'thumbsup' })),
    () => expectSuccess(ada.post(`${mr.at}/approve`)),
    () => runJobs(),
    () => expectSuccess(ada.put(`${mr.at}/merge`)),
  ];
  for (const [index, uow] of acts.entries()) {
    await ada.post(`${mr.at}/todo`);
    await uow();
    assert.deepEqual(await actionsOf(ada), index === 4 ? ['marked'] : [], `${index}`);
  }
});
