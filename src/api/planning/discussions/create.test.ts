import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { createThread } from './fixtures.testing.ts';

const { newGroup } = await world();

test('creates a thread as a resolvable note, followed by its replies', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const issue = await newIssue(project);
  const { thread, at } = await createThread(guest, issue, { body: 'It spins' });
  assert.match(thread.id, /^[0-9a-f]{40}$/);
  const [note] = thread.notes;
  assert.deepEqual([thread.individual_note, thread.notes.length], [false, 1]);
  assert.deepEqual([note.type, note.body, note.noteable_iid], ['DiscussionNote', 'It spins', issue.iid]);
  assert.deepEqual(
    [note.resolvable, note.resolved, note.resolved_by, note.resolved_at, note.position],
    [true, false, null, null, undefined],
  );
  const { body: answer } = await expectSuccess(owner.post(`${at}/notes`, { body: 'On every host' }));
  assert.deepEqual([answer.type, answer.resolved, answer.author.id], ['DiscussionNote', false, owner.id]);
  assert.deepEqual((await guest.get(at)).body.notes, [note, answer]);
  assert.deepEqual((await guest.get(`${at}/notes`)).body, [note, answer]);
  assert.deepEqual((await guest.get(`${at}/notes/${answer.id}`)).body, answer);
  assert.deepEqual((await guest.get(`${issue.notes}/${answer.id}`)).body, answer);
  assert.equal((await owner.get(issue.at)).body.user_notes_count, 2);
  const feed = (await owner.get(`${project.at}/events`, { action: 'commented' })).body;
  assert.deepEqual(
    feed.map((event: { target_type: string; target_id: number }) => [event.target_type, event.target_id]),
    [
      ['DiscussionNote', answer.id],
      ['DiscussionNote', note.id],
    ],
  );
});

test('converts a plain comment to a thread on the first reply, also on two concurrent ones; system notes take no replies', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  await expectSuccess(owner.post(issue.notes, { body: 'Seen' }));
  await expectSuccess(owner.put(issue.at, { title: 'Loop spins' }));
  const [plain, system] = (await owner.get(`${issue.at}/discussions`)).body;
  assert.deepEqual([plain.individual_note, plain.notes[0].type, plain.notes[0].resolvable], [true, null, false]);
  const at = `${issue.at}/discussions/${plain.id}`;
  await Promise.all(['a', 'b'].map((body) => expectSuccess(owner.post(`${at}/notes`, { body }))));
  const thread = (await owner.get(at)).body;
  assert.equal(thread.individual_note, false);
  assert.deepEqual(
    thread.notes.map(({ type, resolved }: { type: string; resolved: boolean }) => [type, resolved]),
    Array(3).fill(['DiscussionNote', false]),
  );
  assert.equal(system.individual_note, true);
  const refused = await owner.post(`${issue.at}/discussions/${system.id}/notes`, { body: 'x' });
  assert.deepEqual(
    [refused.status, refused.body.message],
    [400, '400 Bad request - Discussion can not be replied to.'],
  );
});

test('makes a reply to an internal note internal', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const issue = await newIssue(project);
  const { body: note } = await expectSuccess(owner.post(issue.notes, { body: 'Secret', internal: true }));
  const [{ id }] = (await owner.get(`${issue.at}/discussions`)).body;
  const at = `${issue.at}/discussions/${id}`;
  assert.equal((await expectSuccess(owner.post(`${at}/notes`, { body: 'More of it' }))).body.internal, true);
  assert.deepEqual((await guest.get(`${issue.at}/discussions`)).body, []);
  for (const call of [guest.get(at), guest.post(`${at}/notes`, { body: 'x' }), guest.put(at, { resolved: true })]) {
    assert.deepEqual([(await call).status, (await call).body.message], [404, '404 Discussion Not Found']);
  }
  assert.deepEqual((await guest.get(`${at}/notes`)).body, { message: '404 Notes Not Found' });
  assert.deepEqual((await guest.get(`${at}/notes/${note.id}`)).body, { message: '404 Not found' });
});

test('rejects invalid notes without writing anything', async () => {
  const { project, owner, user, anonymous } = await world({ project: { visibility: 'public', readme: true } });
  const stranger = await user();
  const made = await newMergeRequest(project);
  const issue = await newIssue(project);
  const { at } = await createThread(owner, made);
  await expectSuccess(owner.put(made.at, { discussion_locked: true }));
  const blank = `400 Bad request - Note {:note=>["can't be blank"]}`;
  const cases = [
    [owner.post(`${made.at}/discussions`, { body: ' ' }), 400, { message: blank }],
    [owner.post(`${at}/notes`, { body: '' }), 400, { message: blank }],
    [owner.post(`${made.at}/discussions`), 400, { error: 'body is missing' }],
    [
      owner.post(`${issue.at}/discussions/${at.slice(-40)}/notes`, { body: 'x' }),
      404,
      { message: '404 Discussion Not Found' },
    ],
    [stranger.post(`${made.at}/discussions`, { body: 'x' }), 403, { message: '403 Forbidden' }],
    [stranger.post(`${at}/notes`, { body: 'x' }), 403, { message: '403 Forbidden' }],
    [stranger.put(at, { resolved: true }), 403, { message: '403 Forbidden' }],
    [anonymous.get(at), 401, { message: '401 Unauthorized' }],
    [owner.get(`${project.at}/issues/99/discussions`), 404, { message: '404 Not found' }],
  ] as const;
  for (const [call, status, body] of cases) assert.deepEqual([(await call).status, (await call).body], [status, body]);
  assert.equal((await owner.get(at)).body.notes.length, 1);
});

test('creates threads on epics by global id', async () => {
  const group = await newGroup();
  const [planner, guest] = [await group.addMember('planner'), await group.addMember('guest')];
  const { body: epic } = await expectSuccess(planner.post(`${group.at}/epics`, { title: 'Big' }));
  const { at, thread } = await createThread(guest, { at: `${group.at}/epics/${epic.id}` });
  assert.deepEqual(
    [thread.notes[0].noteable_type, thread.notes[0].project_id, thread.notes[0].resolvable],
    ['Epic', null, true],
  );
  assert.equal((await expectSuccess(planner.post(`${at}/notes`, { body: 'Yes' }))).body.noteable_id, epic.id);
  assert.equal((await expectSuccess(planner.put(at, { resolved: true }))).body.notes[1].resolved_by.id, planner.id);
});
