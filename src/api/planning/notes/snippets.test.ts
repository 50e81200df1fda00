import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const { newProject, user, server, root, runJobs } = await world();

async function newSnippet(visibility = 'private') {
  const project = await newProject({ visibility: 'public' });
  const input = { title: 'Deploy', file_name: 'a', content: 'a', visibility };
  const { body } = await project.owner.post(`${project.at}/snippets`, input);
  return { project, id: body.id as number, at: `${project.at}/snippets/${body.id}` };
}

test('creates, lists, changes and deletes comments on a project snippet', async () => {
  const { project, id, at } = await newSnippet();
  const guest = await project.addMember('guest');
  const { status, body } = await guest.post(`${at}/notes`, { body: 'Works', confidential: true });
  assert.equal(status, 201);
  const { noteable_type, noteable_id, noteable_iid, project_id, internal, resolvable } = body;
  assert.deepEqual([noteable_type, noteable_id, noteable_iid, project_id], ['Snippet', id, null, project.id]);
  assert.deepEqual([internal, resolvable], [false, false]);
  assert.deepEqual((await guest.get(`${at}/notes`)).body, [body]);
  assert.deepEqual((await guest.get(`${at}/notes/${body.id}`)).body, body);
  assert.equal((await guest.put(`${at}/notes/${body.id}`, { body: 'Works here' })).body.body, 'Works here');
  assert.equal((await guest.delete(`${at}/notes/${body.id}`)).status, 204);
  assert.deepEqual((await guest.get(`${at}/notes`)).body, []);
});

test('comments are hidden with their snippet, and callers without rights cannot change them', async () => {
  const { project, at } = await newSnippet();
  const { body } = await project.owner.post(`${at}/notes`, { body: 'Works' });
  const stranger = await user();
  for (const response of [await stranger.get(`${at}/notes`), await stranger.post(`${at}/notes`, { body: 'a' })])
    assert.deepEqual([response.status, response.body], [404, { message: '404 Snippet Not Found' }]);
  const guest = await project.addMember('guest');
  assert.equal((await guest.put(`${at}/notes/${body.id}`, { body: 'a' })).status, 403);
  const other = await newSnippet();
  assert.equal((await other.project.owner.get(`${other.at}/notes/${body.id}`)).status, 404);
});

test('a comment is an event of the project, visible to readers of the snippet, and is deleted with the snippet', async () => {
  const { project, id, at } = await newSnippet();
  const { body: note } = await project.owner.post(`${at}/notes`, { body: 'Works' });
  const events = async (caller = project.owner) =>
    (await caller.get(`${project.at}/events`, { target_type: 'note' })).body;
  const [event] = await events();
  assert.deepEqual(
    [event.action_name, event.target_type, event.target_title, event.note.noteable_id, event.target_id],
    ['commented on', 'Note', 'Deploy', id, note.id],
  );
  assert.deepEqual(await events(await user()), []);
  assert.equal((await project.owner.delete(at)).status, 204);
  assert.deepEqual(await events(), []);
  const { reader } = server.services.database;
  assert.deepEqual(await reader.selectFrom('notes').select('id').where('id', '=', note.id).execute(), []);
});

test('comments of a deleted user go to the ghost user', async () => {
  const { project, at } = await newSnippet('public');
  const author = await user();
  await author.post(`${at}/notes`, { body: 'Works' });
  await root.delete(`/users/${author.id}`);
  await runJobs();
  assert.equal((await project.owner.get(`${at}/notes`)).body[0].author.username, 'ghost');
});
