import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { createThread } from './fixtures.testing.ts';

async function committed(visibility: 'private' | 'public' = 'private') {
  const here = await world({ project: { visibility, readme: true, with: ['reporter', 'guest'] } });
  const { project, owner } = here;
  const { body } = await expectSuccess(owner.get(`${project.repository}/commits/main`));
  return { ...here, sha: body.id as string, title: body.title, at: `${project.repository}/commits/${body.id}` };
}

test('creates, replies to and deletes threads on commits, which cannot be resolved', async () => {
  const { project, owner, reporter, at: commit, sha } = await committed();
  assert.deepEqual((await reporter.get(`${commit}/discussions`)).body, []);
  const { at, thread } = await createThread(reporter, { at: `${project.repository}/commits/main` });
  const [note] = thread.notes;
  assert.deepEqual(
    [note.noteable_type, note.noteable_id, note.noteable_iid, note.project_id, note.resolvable, note.resolved],
    ['Commit', null, null, project.id, false, undefined],
  );
  const { body: answer } = await expectSuccess(owner.post(`${at}/notes`, { body: 'Yes' }));
  assert.deepEqual((await reporter.get(`${commit}/discussions`)).body, [{ ...thread, notes: [note, answer] }]);
  const refused = await owner.put(`${at}/notes/${note.id}`, { resolved: true });
  assert.deepEqual([refused.status, refused.body.message], [400, '400 Bad request - Note is not resolvable']);
  assert.equal(
    (await expectSuccess(reporter.put(`${at}/notes/${note.id}`, { body: 'It stands' }))).body.body,
    'It stands',
  );
  assert.equal((await reporter.put(`${at}/notes/${answer.id}`, { body: 'x' })).status, 403);
  for (const { id } of [note, answer]) await expectSuccess(owner.delete(`${at}/notes/${id}`));
  assert.equal((await owner.get(at)).status, 404);
  assert.deepEqual((await owner.get(`${project.repository}/commits/${sha}/discussions`)).body, []);
});

test('accepts positions in the commit’s own diff only', async () => {
  const { owner, at, sha } = await committed();
  const zero = '0'.repeat(40);
  const position = {
    base_sha: zero,
    start_sha: zero,
    head_sha: sha,
    position_type: 'text',
    new_path: 'README.md',
    new_line: 1,
  };
  const { thread } = await createThread(owner, { at }, { position });
  assert.deepEqual([thread.notes[0].type, thread.notes[0].commit_id], ['DiffNote', undefined]);
  const other = await owner.post(`${at}/discussions`, { body: 'x', position: { ...position, base_sha: sha } });
  assert.equal(other.status, 400);
  const [comment] = (await owner.get(`${at}/comments`)).body;
  assert.deepEqual([comment.path, comment.line, comment.line_type], ['README.md', 1, 'new']);
});

test('shows comments on commits in feeds to readers of the code, with the commit’s title', async () => {
  const { project, owner, guest, at, title } = await committed();
  const { thread } = await createThread(owner, { at });
  const events = (await owner.get(`${project.at}/events`, { action: 'commented' })).body;
  assert.deepEqual(
    events.map((event: Record<string, never>) => [event.target_type, event.target_id, event.target_title, event.note]),
    [['DiscussionNote', thread.notes[0].id, title, { ...thread.notes[0], attachment: null }]],
  );
  assert.deepEqual((await guest.get(`${project.at}/events`, { action: 'commented' })).body, []);
});

test('lets signed-in readers of the code comment on commits', async () => {
  const { project, owner, guest, at } = await committed();
  const thread = await createThread(owner, { at });
  for (const call of [guest.get(thread.at), guest.post(`${at}/discussions`, { body: 'x' })]) {
    assert.equal((await call).status, 403);
  }
  const unknown = await owner.get(`${project.repository}/commits/${'1'.repeat(40)}/discussions`);
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Commit Not Found' }]);
  const open = await committed('public');
  assert.equal((await open.anonymous.get(`${open.at}/discussions`)).status, 401);
  await createThread(await open.user(), open);
});

test('deletes comments on commits with the project and with their author', async () => {
  const { project, owner, root, user, at, runJobs, server } = await committed('public');
  const [ada, ben] = [await user(), await user()];
  const kept = await createThread(ada, { at });
  await createThread(ben, { at });
  await expectSuccess(root.delete(`/users/${ada.id}`));
  await expectSuccess(root.delete(`/users/${ben.id}`, { hard_delete: true }));
  await runJobs();
  const threads = (await owner.get(`${at}/discussions`)).body;
  assert.deepEqual(
    threads.map(({ id }: { id: string }) => id),
    [kept.thread.id],
  );
  await expectSuccess(owner.delete(project.at));
  const { path_with_namespace: full_path } = (await expectSuccess(owner.get(project.at))).body;
  await expectSuccess(owner.delete(project.at, { permanently_remove: true, full_path }));
  await runJobs();
  const { reader } = server.services.database;
  const left = await reader.selectFrom('commented_commits').select('id').where('project_id', '=', project.id).execute();
  assert.deepEqual(left, []);
});
