import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { listNoteBodies, newIssue } from './fixtures.testing.ts';

// Notes on merge requests, and cross-references between merge requests and issues.

const { user, newProject, newGroup, root, runJobs, server } = await world();

async function merging(project: Project, params: object = {}) {
  const made = await newMergeRequest(project, params);
  return { ...made, notes: `${made.at}/notes`, named: `${project.path_with_namespace}!${made.iid}` };
}

test('returns iid and project of a comment on a merge request and counts it', async () => {
  const { project, owner, planner } = await world({ project: { readme: true, with: ['planner'] } });
  const made = await merging(project);
  const note = (await expectSuccess(planner.post(made.notes, { body: 'Seen' }))).body;
  const { noteable_id, noteable_type, project_id, noteable_iid, author } = note;
  assert.deepEqual(
    [noteable_id, noteable_type, project_id, noteable_iid, author.id],
    [made.id, 'MergeRequest', project.id, made.iid, planner.id],
  );
  assert.equal((await owner.get(made.at)).body.user_notes_count, 1);
  assert.equal((await expectSuccess(planner.put(`${made.notes}/${note.id}`, { body: 'Again' }))).body.body, 'Again');
  await expectSuccess(owner.delete(`${made.notes}/${note.id}`));
  assert.equal((await owner.get(made.at)).body.user_notes_count, 0);
});

test('hides merge requests of a private project from Guests', async () => {
  const { project, owner, guest } = await world({ project: { readme: true, with: ['guest'] } });
  const made = await merging(project);
  const { id } = (await expectSuccess(owner.post(made.notes, { body: 'Seen' }))).body;
  const calls = [
    guest.get(made.notes),
    guest.post(made.notes, { body: 'x' }),
    guest.get(`${made.notes}/${id}`),
    guest.put(`${made.notes}/${id}`, { body: 'x' }),
    guest.delete(`${made.notes}/${id}`),
  ];
  for (const { status, body } of await Promise.all(calls)) {
    assert.deepEqual([status, body], [404, { message: '404 Not found' }]);
  }
  assert.deepEqual(await listNoteBodies(owner, made), ['Seen']);
});

test('lets everybody comment in a public project, and members only if locked', async () => {
  const project = await newProject({ owner: await user(), visibility: 'public', readme: true });
  const [made, stranger] = [await merging(project), await user()];
  assert.equal((await stranger.post(made.notes, { body: 'One' })).status, 201);
  assert.equal((await stranger.post(made.notes, { body: 'x', internal: true })).status, 403);
  await expectSuccess(project.owner.put(made.at, { discussion_locked: true }));
  assert.equal((await stranger.post(made.notes, { body: 'Two' })).status, 403);
  assert.equal((await project.owner.post(made.notes, { body: 'Two' })).status, 201);
});

test('creates one cross-reference between issues and merge requests that mention each other', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const issue = await newIssue(project);
  const made = await merging(project, { description: `For #${issue.iid}` });
  await expectSuccess(owner.post(made.notes, { body: `#${issue.iid} again` }));
  await expectSuccess(owner.put(issue.at, { description: `See !${made.iid}` }));
  await expectSuccess(owner.post(issue.notes, { body: made.named }));
  const system = { activity_filter: 'only_activity' };
  assert.deepEqual((await listNoteBodies(owner, made, system)).slice(0, 1), [
    `mentioned in issue ${project.path_with_namespace}#${issue.iid}`,
  ]);
  const mentions = (await listNoteBodies(owner, issue, system)).filter((body) => body.startsWith('mentioned'));
  assert.deepEqual(mentions, [`mentioned in merge request ${made.named}`]);
});

test('hides a mention from callers who may not read the merge request', async () => {
  const { project, owner, guest, planner } = await world({ project: { readme: true, with: ['guest', 'planner'] } });
  const issue = await newIssue(project);
  await merging(project, { title: `For #${issue.iid}` });
  const seen = async (caller: Caller) => (await listNoteBodies(caller, issue)).length;
  assert.deepEqual([await seen(guest), await seen(planner), await seen(owner)], [0, 1, 1]);
});

test('deletes comments and their cross-references with the noteable', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const [issue, made] = [await newIssue(project), await merging(project)];
  await expectSuccess(owner.post(made.notes, { body: `#${issue.iid}` }));
  await expectSuccess(owner.delete(made.at));
  assert.deepEqual(await listNoteBodies(owner, issue), []);
  const events = server.services.database.reader.selectFrom('activity_events').select('target_type');
  const left = await events
    .where('project_id', '=', project.id)
    .where('target_type', 'in', ['Note', 'MergeRequest'])
    .execute();
  assert.deepEqual(left, []);
});

test('reassigns notes of a deleted user on merge requests and epics to the ghost user, or deletes them', async () => {
  const group = await newGroup({ owner: await user(), visibility: 'public' });
  const project = await newProject({ in: group, readme: true, visibility: 'public' });
  const made = await merging(project);
  const { id, iid } = (await expectSuccess(group.owner.post(`${group.at}/epics`, { title: 'Big' }))).body;
  const [gone, ghosted] = [await user(), await user()];
  const epicNotes = `${group.at}/epics/${id}/notes`;
  for (const notes of [made.notes, epicNotes]) {
    for (const by of [gone, gone, ghosted]) await expectSuccess(by.post(notes, { body: by.username }));
  }
  await root.delete(`/users/${gone.id}`, { hard_delete: true });
  await root.delete(`/users/${ghosted.id}`);
  await runJobs();
  for (const notes of [made.notes, epicNotes]) {
    const { body } = await group.owner.get(notes);
    assert.deepEqual(
      body.map((note: { author: Caller; body: string }) => [note.author.username, note.body]),
      [['ghost', ghosted.username]],
    );
  }
  assert.equal((await group.owner.get(made.at)).body.user_notes_count, 1);
  const counted = server.services.database.reader.selectFrom('epics').select('user_notes_count').where('iid', '=', iid);
  const epic = await counted.where('group_id', '=', group.id).executeTakeFirst();
  assert.equal(epic?.user_notes_count, 1);
});

test('keeps resource events of merge requests after their user is deleted', async () => {
  const { project, owner, developer } = await world({ project: { readme: true, with: ['developer'] } });
  const { at } = await merging(project);
  await expectSuccess(developer.put(at, { state_event: 'close' }));
  await root.delete(`/users/${developer.id}`);
  await runJobs();
  const [step] = (await owner.get(`${at}/resource_state_events`)).body;
  assert.deepEqual([step.state, step.user], ['closed', null]);
});
