import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertPipelineRow, runningJob } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { describeTodos } from './fixtures.testing.ts';

const here = await world({ project: { readme: true } });
const { project, owner, user, anonymous, newGroup, newProject, runJobs, name, clock } = here;
const stranger = await user();
const username = async (who: { get: typeof owner.get }) => (await who.get('/user')).body.username as string;

test('creates one to-do item for each new assignee and reviewer, including the actor', async () => {
  const [ada, bob] = [await project.addMember('developer'), await project.addMember('developer')];
  const mr = await newMergeRequest(project, { assignee_ids: [ada.id, owner.id], reviewer_ids: [bob.id] });
  assert.deepEqual(await describeTodos(ada), [`assigned MergeRequest ${mr.iid}`]);
  assert.deepEqual(await describeTodos(bob), [`review_requested MergeRequest ${mr.iid}`]);
  assert.deepEqual(await describeTodos(owner), [`assigned MergeRequest ${mr.iid}`]);
  const [todo] = (await ada.get('/todos')).body;
  await expectSuccess(ada.post(`/todos/${todo.id}/mark_as_done`));
  await expectSuccess(owner.put(mr.at, { assignee_ids: [ada.id, bob.id], reviewer_ids: [bob.id, ada.id] }));
  assert.deepEqual(await describeTodos(ada), [`review_requested MergeRequest ${mr.iid}`]);
  assert.deepEqual(await describeTodos(bob), [
    `assigned MergeRequest ${mr.iid}`,
    `review_requested MergeRequest ${mr.iid}`,
  ]);
});

test('creates to-do items for mentioned readers, directly_addressed at the start of a paragraph', async () => {
  const [ada, bob, eve] = [
    await project.addMember('planner'),
    await project.addMember('planner'),
    await project.addMember('guest'),
  ];
  const names = await Promise.all([ada, bob, eve, stranger].map(username));
  const [a, b, e, s] = names.map((one) => `@${one}`);
  const { iid, notes } = await newIssue(project, { title: `For ${b}`, description: `${a} ${e}\nand ${s}` });
  const comment = await expectSuccess(owner.post(notes, { body: `Look, ${a}\n\n ${a}!` }));
  await expectSuccess(owner.post(notes, { body: `${b} ${e}: not for guests`, internal: true }));
  assert.deepEqual(await describeTodos(ada), [`mentioned Issue ${iid}`, `directly_addressed Issue ${iid}`]);
  assert.deepEqual(await describeTodos(bob), [`directly_addressed Issue ${iid}`, `mentioned Issue ${iid}`]);
  assert.deepEqual(await describeTodos(eve), [`directly_addressed Issue ${iid}`]);
  assert.deepEqual(await describeTodos(stranger), []);
  const [{ body, target_url, author, project: where, target, target_type, state }] = (await ada.get('/todos')).body;
  assert.deepEqual([body, author.id, target_type, state], [comment.body.body, owner.id, 'Issue', 'pending']);
  assert.deepEqual([where.id, target_url], [project.id, `${target.web_url}#note_${comment.body.id}`]);
  await expectSuccess(owner.delete(`${notes}/${comment.body.id}`));
  assert.deepEqual(await describeTodos(ada), [`directly_addressed Issue ${iid}`]);
});

test('creates to-do items for users newly mentioned by an edit', async () => {
  const [ada, bob] = [await project.addMember('planner'), await project.addMember('planner')];
  const [a, b] = [await username(ada), await username(bob)];
  const { iid, at, notes } = await newIssue(project, { description: `cc @${a}` });
  const note = await expectSuccess(owner.post(notes, { body: `cc @${a}` }));
  await expectSuccess(owner.put(at, { title: `Of @${b}`, description: `cc @${a}, @${b}` }));
  await expectSuccess(owner.put(`${notes}/${note.body.id}`, { body: `cc @${b} @${a}` }));
  const mentioned = `mentioned Issue ${iid}`;
  assert.deepEqual(await describeTodos(ada), [mentioned, mentioned]);
  assert.deepEqual(await describeTodos(bob), [mentioned, mentioned, mentioned]);
});

test('creates to-do items for the author on failed head pipelines and new conflicts', async () => {
  const ada = await project.addMember('developer');
  const mr = await newMergeRequest(project, {}, ada);
  const look = async () => {
    clock.advance(2);
    await runJobs();
  };
  await project.commit({ [`${mr.source_branch}.txt`]: 'other' });
  await look();
  assert.deepEqual(await describeTodos(ada), [`unmergeable MergeRequest ${mr.iid}`]);
  await expectSuccess(ada.post('/todos/mark_as_done'));
  await project.commit({ 'more.txt': name('text') });
  await look();
  assert.deepEqual(await describeTodos(ada), []);
  for (const sha of [mr.diff_refs.start_sha, mr.sha]) {
    const pipeline_id = await insertPipelineRow(here, project, { ref: mr.source_branch, sha });
    const { id, token } = await runningJob(here, project, { pipeline_id });
    await expectSuccess(anonymous.put(`/jobs/${id}`, { token, state: 'failed' }));
  }
  assert.deepEqual(await describeTodos(ada), [`build_failed MergeRequest ${mr.iid}`]);
  assert.equal((await ada.get('/todos')).body[0].target_url, `${mr.web_url}/pipelines`);
});

test('creates to-do items on epics with their group', async () => {
  const group = await newGroup({ with: ['planner'] });
  const description = `@${await username(group.planner)}`;
  const { body } = await expectSuccess(group.owner.post(`${group.at}/epics`, { title: 'Faster', description }));
  const [todo] = (await group.planner.get('/todos', { type: 'Epic' })).body;
  assert.deepEqual(
    [todo.group.id, todo.target.id, todo.body, todo.target_url],
    [group.id, body.id, 'Faster', body.web_url],
  );
});

async function newCommitTodo(visibility: 'private' | 'public' = 'private') {
  const home = await newProject({ owner, visibility, readme: true, with: ['reporter'] });
  const { body: commit } = await expectSuccess(owner.get(`${home.repository}/commits/main`));
  const at = `${home.repository}/commits/${commit.id}`;
  const name = await username(home.reporter);
  await expectSuccess(owner.post(`${at}/comments`, { note: `Look, @${name}` }));
  return { home, commit, at, name, reporter: home.reporter };
}

test('creates to-do items for readers of the code who are mentioned in a comment on a commit', async () => {
  const { home, commit, at, name, reporter } = await newCommitTodo();
  const guest = await home.addMember('guest');
  const others = await Promise.all([guest, stranger].map(username));
  const body = `@${name} and @${others.join(' @')}`;
  const thread = await expectSuccess(owner.post(`${at}/discussions`, { body }));
  const [todo, mentioned] = (await reporter.get('/todos', { type: 'Commit' })).body;
  const [{ id: noteId }] = thread.body.notes;
  assert.deepEqual([todo.action_name, mentioned.action_name], ['directly_addressed', 'mentioned']);
  assert.deepEqual(
    [todo.target_type, todo.project.id, todo.author.id, todo.body, todo.state, todo.target_url],
    ['Commit', home.id, owner.id, body, 'pending', `${commit.web_url}#note_${noteId}`],
  );
  assert.deepEqual(todo.target, (await owner.get(`${home.repository}/branches/main`)).body.commit);
  for (const who of [guest, stranger]) assert.deepEqual((await who.get('/todos')).body, []);
  const done = await expectSuccess(reporter.post(`/todos/${todo.id}/mark_as_done`));
  assert.deepEqual([done.body.state, done.body.target.id], ['done', commit.id]);
  await expectSuccess(owner.put(`${at}/discussions/${thread.body.id}/notes/${noteId}`, { body: `cc @${name} again` }));
  assert.equal((await reporter.get('/todos')).body.length, 1);
});

test('completes to-do items on a commit with a comment of the user, and deletes them with the comment', async () => {
  const { at, name, reporter } = await newCommitTodo();
  await expectSuccess(reporter.post(`${at}/comments`, { note: 'Thanks' }));
  assert.deepEqual((await reporter.get('/todos')).body, []);
  const { body } = await expectSuccess(owner.post(`${at}/discussions`, { body: 'Well' }));
  const note = `${at}/discussions/${body.id}/notes/${body.notes[0].id}`;
  await expectSuccess(owner.put(note, { body: `Well, @${name}` }));
  assert.deepEqual(
    (await reporter.get('/todos')).body.map((todo: { body: string }) => todo.body),
    [`Well, @${name}`],
  );
  await expectSuccess(owner.delete(note));
  assert.deepEqual((await reporter.get('/todos')).body, []);
});

test('hides and deletes to-do items on commits with access to the code or the project', async () => {
  const { home, reporter } = await newCommitTodo('public');
  await expectSuccess(owner.put(home.at, { repository_access_level: 'disabled' }));
  assert.deepEqual((await reporter.get('/todos')).body, []);
  await runJobs();
  await expectSuccess(owner.put(home.at, { repository_access_level: 'enabled' }));
  assert.deepEqual((await reporter.get('/todos')).body, []);
  const other = await newCommitTodo();
  await expectSuccess(owner.delete(`${other.home.at}/members/${other.reporter.id}`));
  assert.deepEqual((await other.reporter.get('/todos')).body, []);
  await expectSuccess(owner.delete(other.home.at));
  await runJobs();
});
