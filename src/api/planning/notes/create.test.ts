import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { listNoteBodies, newIssue } from './fixtures.testing.ts';

const { user, anonymous, root, newProject, server } = await world();

test('returns all fields of a new comment and counts it on its issue', async () => {
  const { project, guest, clock } = await world({ project: { with: ['guest'] } });
  const issue = await newIssue(project);
  clock.advance(60);
  const { status, body } = await guest.post(issue.notes, { body: 'Seen on two hosts' });
  const { author, created_at, ...note } = body;
  assert.equal(status, 201);
  assert.equal(author.id, guest.id);
  assert.deepEqual(note, {
    id: note.id,
    type: null,
    body: 'Seen on two hosts',
    updated_at: created_at,
    system: false,
    noteable_id: issue.id,
    noteable_type: 'Issue',
    project_id: project.id,
    resolvable: false,
    confidential: false,
    internal: false,
    imported: false,
    imported_from: 'none',
    noteable_iid: issue.iid,
    commands_changes: {},
  });
  assert.deepEqual((await guest.get(`${issue.notes}/${note.id}`)).body, body);
  const { user_notes_count, updated_at } = (await guest.get(issue.at)).body;
  assert.deepEqual([user_notes_count, updated_at], [1, created_at]);
});

test('rejects a blank comment', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  assert.deepEqual((await owner.post(issue.notes, {})).body, { error: 'body is missing' });
  for (const body of ['', ' \n']) {
    const blank = await owner.post(issue.notes, { body });
    assert.deepEqual(
      [blank.status, blank.body],
      [400, { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' }],
    );
  }
  const long = await owner.post(issue.notes, { body: 'a'.repeat(2 ** 20 + 1) });
  assert.deepEqual(long.body, { message: { body: ['is too long (maximum is 1048576 bytes)'] } });
  assert.deepEqual(await listNoteBodies(owner, issue), []);
});

test('lets readers of an issue comment on it', async () => {
  const open = await newProject({ owner: root, visibility: 'public' });
  const [stranger, issue] = [await user(), await newIssue(open)];
  assert.equal((await stranger.post(issue.notes, { body: 'Me too' })).status, 201);
  assert.deepEqual((await anonymous.post(issue.notes, { body: 'x' })).body, { message: '401 Unauthorized' });
  assert.equal((await anonymous.get(issue.notes)).status, 401);
  const secret = await newIssue(open, { confidential: true });
  for (const path of [secret.notes, `${open.at}/issues/99/notes`]) {
    const answer = await stranger.post(path, { body: 'x' });
    assert.deepEqual([answer.status, answer.body], [404, { message: '404 Not found' }]);
    assert.equal((await stranger.get(path)).status, 404);
  }
  const own = await newIssue(open, { confidential: true }, stranger);
  assert.equal((await stranger.post(own.notes, { body: 'Only we know' })).status, 201);
});

test('accepts created_at from Owners only', async () => {
  const { project, owner, maintainer } = await world({ project: { with: ['maintainer'] } });
  const issue = await newIssue(project);
  const created_at = '2024-05-06T07:08:09.000Z';
  const dated = (await owner.post(issue.notes, { body: 'Then', created_at })).body;
  assert.deepEqual([dated.created_at, dated.updated_at], [created_at, created_at]);
  assert.notEqual((await maintainer.post(issue.notes, { body: 'Now', created_at })).body.created_at, created_at);
});

test('restricts locked discussions to members and archived projects to nobody', async () => {
  const { project, owner, guest } = await world({ project: { visibility: 'public', with: ['guest'] } });
  const author = await user();
  const issue = await newIssue(project, {}, author);
  const { database } = server.services;
  await database.transaction((tx) =>
    tx.updateTable('issues').set({ discussion_locked: true }).where('id', '=', issue.id).execute(),
  );
  const refused = await author.post(issue.notes, { body: 'But' });
  assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  assert.equal((await guest.post(issue.notes, { body: 'Said' })).status, 201);
  await owner.post(`${project.at}/archive`);
  assert.equal((await owner.post(issue.notes, { body: 'More' })).status, 403);
});

test('limits an issue to five thousand notes', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const now = '2026-01-01T00:00:00.000Z';
  const row = { issue_id: issue.id, author_id: owner.id, body: 'x', system: false, kind: null, internal: false };
  const rows = Array.from({ length: 4_999 }, () => ({ ...row, discussion_id: 'd', created_at: now, updated_at: now }));
  await server.services.database.transaction(async (tx) => {
    for (let at = 0; at < rows.length; at += 1_000) {
      await tx
        .insertInto('notes')
        .values(rows.slice(at, at + 1_000))
        .execute();
    }
  });
  assert.equal((await owner.post(issue.notes, { body: 'The last one' })).status, 201);
  const full = await owner.post(issue.notes, { body: 'One more' });
  const message = '400 Bad request - Note {:base=>["Maximum number of comments exceeded"]}';
  assert.deepEqual([full.status, full.body], [400, { message }]);
});

test('counts all concurrent comments', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => owner.post(issue.notes, { body: `${n}` })));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  assert.equal((await owner.get(issue.at)).body.user_notes_count, 10);
});
