import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DESCRIPTION_CHANGED_TEXT } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { fail } from '#runtime/failure.ts';
import { type Project, world } from '#test/support/world.ts';
import { issueNoteable } from '../issues/index.ts';
import { listNotes } from '../note-rows/index.ts';
import { createNote, deleteNote, updateNote } from './changes.ts';
import { listNoteBodies, newIssue } from './fixtures.testing.ts';

const { user, clock, server, root, runJobs } = await world();
const { database, runUnitOfWork } = server.services;

test('lets the author and Maintainers update and delete a comment', async () => {
  const { project, guest, developer, maintainer } = await world({
    project: { with: ['guest', 'developer', 'maintainer'] },
  });
  const issue = await newIssue(project);
  const write = async () => `${issue.notes}/${(await guest.post(issue.notes, { body: 'First' })).body.id}`;
  const [one, two] = [await write(), await write()];
  assert.deepEqual((await developer.put(one, { body: 'No' })).body, { message: '403 Forbidden' });
  assert.equal((await developer.delete(one)).status, 403);
  clock.advance(60);
  const { status, body } = await guest.put(one, { body: 'Second' });
  assert.deepEqual([status, body.body, body.updated_at > body.created_at], [200, 'Second', true]);
  assert.equal((await maintainer.put(two, { body: 'Third' })).body.author.id, guest.id);
  assert.equal((await guest.delete(one)).status, 204);
  assert.equal((await maintainer.delete(two)).status, 204);
  assert.equal((await guest.delete(one)).status, 404);
  assert.deepEqual(await listNoteBodies(guest, issue), []);
  assert.equal((await guest.get(issue.at)).body.user_notes_count, 0);
});

test('rejects a blank body', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const note = `${issue.notes}/${(await owner.post(issue.notes, { body: 'Words' })).body.id}`;
  assert.deepEqual((await owner.put(note, { body: ' ' })).body, { error: 'body is empty' });
  assert.equal((await owner.put(note, {})).status, 400);
  assert.deepEqual(await listNoteBodies(owner, issue), ['Words']);
});

test('rejects changes to system notes', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  await runUnitOfWork(await loadCaller(database.reader, owner.id, null), (uow) =>
    uow.record({ noteOn: { type: 'Issue', id: issue.id }, text: DESCRIPTION_CHANGED_TEXT }),
  );
  const [{ id }] = (await owner.get(issue.notes)).body;
  for (const answer of [
    await owner.put(`${issue.notes}/${id}`, { body: 'x' }),
    await root.delete(`${issue.notes}/${id}`),
  ]) {
    assert.deepEqual([answer.status, answer.body], [403, { message: '403 Forbidden' }]);
  }
});

test('returns 412 for the deletion of a comment that has changed', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const note = `${issue.notes}/${(await owner.post(issue.notes, { body: 'Words' })).body.id}`;
  const before = { 'If-Unmodified-Since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
  const refused = await owner.delete(note, {}, before);
  assert.deepEqual([refused.status, refused.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await owner.get(note)).status, 200);
});

const eventsOf = (projectId: number) =>
  database.reader
    .selectFrom('activity_events')
    .select('target_id')
    .where('project_id', '=', projectId)
    .where('action', '=', 'commented')
    .execute();

test('deletes activity events with the comment and with its issue', async () => {
  const { project, owner } = await world({ project: {} });
  const [issue, other] = [await newIssue(project), await newIssue(project)];
  const first = (await owner.post(issue.notes, { body: 'one' })).body.id;
  await owner.post(other.notes, { body: 'two' });
  assert.equal((await eventsOf(project.id)).length, 2);
  await owner.delete(`${issue.notes}/${first}`);
  assert.equal((await eventsOf(project.id)).length, 1);
});

test('reassigns comments of a deleted user to the ghost user, or deletes them', async () => {
  const { project, owner } = await world({ project: { visibility: 'public' } });
  const [ada, ben] = [await user(), await user()];
  const issue = await newIssue(project);
  for (const one of [ada, ben, owner]) await one.post(issue.notes, { body: one.username });
  await root.delete(`/users/${ada.id}`);
  await root.delete(`/users/${ben.id}`, { hard_delete: true });
  await runJobs();
  const notes: { body: string; author: { username: string } }[] = (await owner.get(issue.notes)).body;
  assert.deepEqual(notes.map(({ author }) => author.username).sort(), ['ghost', owner.username].sort());
  assert.equal((await owner.get(issue.at)).body.user_notes_count, 2);
});

/** Creates a comment by the owner and returns it as loaded at the start of an update by `by`. */
async function createAndLoadComment(by: SignedInCaller, project: Project, body: string) {
  const issue = await newIssue(project);
  const at = `${issue.notes}/${(await project.owner.post(issue.notes, { body })).body.id}`;
  const found = await findProject(database.reader, by, String(project.id));
  const noteable = {
    type: 'Issue',
    id: issue.id,
    iid: issue.iid,
    authorId: null,
    project: found!,
    locked: false,
  } as const;
  return {
    at,
    issue,
    noteable,
    note: { ...(await listNotes(database.reader, by, noteable, FILTER, PAGE)).items[0]!, body },
  };
}

test('compares with the current body, and returns 404 for a deleted comment', async () => {
  const { project, owner } = await world({ project: {} });
  const by = (await loadCaller(database.reader, owner.id, null)) as SignedInCaller;
  const { at, noteable, note } = await createAndLoadComment(by, project, 'First');
  await owner.put(at, { body: 'Second' });
  await runUnitOfWork(by, (uow) => updateNote(uow, issueNoteable, noteable, note, { body: 'First' }));
  assert.equal((await owner.get(at)).body.body, 'First');
  await owner.delete(at);
  const result = await runUnitOfWork(by, (uow) => updateNote(uow, issueNoteable, noteable, note, { body: 'First' }));
  assert.deepEqual(result, fail('notFound'));
});

test('writes nothing if the caller loses access before the write', async () => {
  const { project, owner, guest } = await world({ project: { with: ['guest'] } });
  const by = (await loadCaller(database.reader, guest.id, null)) as SignedInCaller;
  const { issue, noteable, note } = await createAndLoadComment(by, project, 'First');
  const input = { body: 'Second', internal: false, createdAt: null };
  const assertRejected = async () => {
    await assert.rejects(
      () => runUnitOfWork(by, (uow) => createNote(uow, issueNoteable, noteable, input)),
      AccessRevoked,
    );
    await assert.rejects(
      () => runUnitOfWork(by, (uow) => deleteNote(uow, issueNoteable, noteable, note)),
      AccessRevoked,
    );
    assert.deepEqual(await listNoteBodies(owner, issue, { activity_filter: 'only_comments' }), ['First']);
  };
  await owner.put(issue.at, { confidential: true });
  await assertRejected();
  await owner.put(issue.at, { confidential: false });
  await owner.delete(`${project.at}/members/${guest.id}`);
  await assertRejected();
});

test('rejects comments of non-members if the discussion is locked before the write', async () => {
  const { project, owner } = await world({ project: { visibility: 'public' } });
  const by = (await loadCaller(database.reader, (await user()).id, null)) as SignedInCaller;
  const { issue, noteable } = await createAndLoadComment(by, project, 'First');
  await owner.put(issue.at, { discussion_locked: true });
  const input = { body: 'Second', internal: false, createdAt: null };
  await assert.rejects(
    () => runUnitOfWork(by, (uow) => createNote(uow, issueNoteable, noteable, input)),
    AccessRevoked,
  );
  await owner.delete(issue.at);
  await assert.rejects(
    () => runUnitOfWork(by, (uow) => createNote(uow, issueNoteable, noteable, input)),
    AccessRevoked,
  );
});

const FILTER = { order_by: 'created_at', sort: 'asc', activity_filter: 'all_notes' } as const;
const PAGE = { kind: 'offset', page: 1, perPage: 20 } as const;
