import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { project, owner, guest, user, anonymous, newProject, newGroup, clock } = await world({
  project: { visibility: 'public', readme: true, with: ['guest'] },
});

const awardNamesOf = (at: string) => `${at}/award_emoji`;

test('an award is stored by its canonical name, counted, and updates the awardable', async () => {
  const stranger = await user();
  const issue = await newIssue(project);
  const before = (await owner.get(issue.at)).body;
  clock.advance(1);
  const { status, body } = await stranger.post(awardNamesOf(issue.at), { name: '+1' });
  assert.equal(status, 201);
  const { id, user: by, created_at, updated_at, ...shown } = body;
  assert.equal(by.id, stranger.id);
  assert.deepEqual(shown, { name: 'thumbsup', awardable_id: issue.id, awardable_type: 'Issue', url: null });
  for (const name of ['-1', 'rocket']) await expectSuccess(guest.post(awardNamesOf(issue.at), { name }));
  const after = (await owner.get(issue.at)).body;
  assert.deepEqual([after.upvotes, after.downvotes, after.updated_at > before.updated_at], [1, 1, true]);
  assert.deepEqual((await owner.get(`${awardNamesOf(issue.at)}/${id}`)).body, body);
  assert.deepEqual((await owner.get(`${issue.at}/resource_state_events`)).body, []);
  const byVotes = await owner.get(`${project.at}/issues`, { order_by: 'popularity', per_page: 1 });
  assert.equal(byVotes.body[0].id, issue.id);
});

test('rejects duplicate awards, unknown names and awards on system notes', async () => {
  const issue = await newIssue(project);
  await expectSuccess(owner.put(issue.at, { title: 'Another title' }));
  const [systemNote] = (await owner.get(issue.notes)).body;
  const awards = awardNamesOf(issue.at);
  await expectSuccess(guest.post(awards, { name: 'thumbsup' }));
  for (const [at, name, text] of [
    [awards, '+1', 'Name has already been taken'],
    [awards, 'no_such_emoji', 'Name is not a valid emoji name'],
    [awards, ':heart:', 'Name is not a valid emoji name'],
    [awards, '', 'Name is not a valid emoji name'],
    [awardNamesOf(`${issue.notes}/${systemNote.id}`), 'heart', 'Awardable cannot add emoji reactions'],
  ] as const) {
    const { status, body } = await guest.post(at, { name });
    assert.deepEqual([status, body], [404, { message: `404 Award Emoji ${text} Not Found` }]);
  }
  assert.deepEqual((await guest.post(awards)).body, { error: 'name is missing' });
  assert.equal((await owner.get(awards)).body.length, 1);
  assert.equal((await owner.get(issue.at)).body.upvotes, 1);
});

test('concurrent awards of one name create one award', async () => {
  const { at } = await newIssue(project);
  const answers = await Promise.all([1, 2, 3].map(() => guest.post(awardNamesOf(at), { name: 'thumbsup' })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404, 404]);
  assert.deepEqual([(await owner.get(awardNamesOf(at))).body.length, (await owner.get(at)).body.upvotes], [1, 1]);
});

test('awards merge requests, epics by iid, and notes on each issuable type', async () => {
  const group = await newGroup({ owner });
  await expectSuccess(owner.post(`${group.at}/epics`, { title: 'First' }));
  const epic = (await expectSuccess(owner.post(`${group.at}/epics`, { title: 'Big' }))).body;
  const mergeRequest = await newMergeRequest(project);
  const epicAt = `${group.at}/epics/${epic.iid}`;
  for (const { at, notes, id, type } of [
    { at: mergeRequest.at, notes: `${mergeRequest.at}/notes`, id: mergeRequest.id, type: 'MergeRequest' },
    { at: epicAt, notes: `${group.at}/epics/${epic.id}/notes`, id: epic.id, type: 'Epic' },
  ]) {
    const note = (await expectSuccess(owner.post(notes, { body: 'It spins' }))).body;
    for (const [path, awardable] of [
      [awardNamesOf(at), [id, type]],
      [awardNamesOf(`${at}/notes/${note.id}`), [note.id, 'Note']],
    ] as const) {
      const { awardable_id, awardable_type } = (await expectSuccess(owner.post(path, { name: 'thumbsup' }))).body;
      assert.deepEqual([awardable_id, awardable_type], awardable);
      assert.equal((await owner.get(path)).headers['x-total'], '1');
    }
    const { upvotes, downvotes } = (await owner.get(at)).body;
    assert.deepEqual([upvotes, downvotes], [1, 0]);
  }
});

const HIDDEN = { message: '404 Award Emoji Not Found' };
const UNKNOWN = { message: '404 Not found' };

test('answers 404 for awardables that the caller cannot read', async () => {
  const issue = await newIssue(project);
  const secret = await newIssue(project, { confidential: true });
  const internal = (await expectSuccess(owner.post(issue.notes, { body: 'Ours', internal: true }))).body;
  const low = await newProject({ owner, readme: true });
  const visitor = await low.addMember('guest');
  const { at: mergeRequest } = await newMergeRequest(low);
  for (const [by, at, answer] of [
    [guest, secret.at, HIDDEN],
    [guest, `${issue.notes}/${internal.id}`, HIDDEN],
    [visitor, mergeRequest, HIDDEN],
    [guest, `${project.at}/issues/98765`, UNKNOWN],
    [guest, `${secret.at}/notes/1`, HIDDEN],
    [owner, `${secret.notes}/${internal.id}`, UNKNOWN],
    [guest, low.at.concat('/issues/1'), { message: '404 Project Not Found' }],
  ] as const satisfies readonly (readonly [Caller, string, object])[]) {
    for (const call of [by.get(awardNamesOf(at)), by.post(awardNamesOf(at), { name: 'heart' })]) {
      const { status, body } = await call;
      assert.deepEqual([status, body], [404, answer], at);
    }
  }
});

test('only members award in locked discussions, nobody in archived projects, and anonymous callers only read', async () => {
  const stranger = await user();
  const { at } = await newIssue(project);
  const { id } = (await expectSuccess(stranger.post(awardNamesOf(at), { name: 'heart' }))).body;
  await expectSuccess(owner.put(at, { discussion_locked: true }));
  assert.deepEqual((await stranger.post(awardNamesOf(at), { name: 'eyes' })).body, HIDDEN);
  await expectSuccess(guest.post(awardNamesOf(at), { name: 'eyes' }));
  assert.equal((await anonymous.get(awardNamesOf(at))).body.length, 2);
  assert.equal((await anonymous.get(`${awardNamesOf(at)}/${id}`)).body.name, 'heart');
  assert.deepEqual((await anonymous.post(awardNamesOf(at), { name: 'eyes' })).body, { message: '401 Unauthorized' });
  const closed = await newProject({ owner });
  const filed = await newIssue(closed);
  const award = (await expectSuccess(owner.post(awardNamesOf(filed.at), { name: 'heart' }))).body;
  await expectSuccess(owner.post(`${closed.at}/archive`));
  const calls = [
    owner.post(awardNamesOf(filed.at), { name: 'eyes' }),
    owner.delete(`${awardNamesOf(filed.at)}/${award.id}`),
  ];
  for (const call of calls) assert.equal((await call).status, 403);
});
