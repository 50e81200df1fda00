import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { project, owner, root, user, newProject, runJobs } = await world({ project: { visibility: 'public' } });

const UNAUTHORIZED = { message: '401 Unauthorized' };

test('the giver and administrators delete an award, which updates the count', async () => {
  const [ada, bob] = [await user(), await user()];
  const { at } = await newIssue(project);
  const awards = `${at}/award_emoji`;
  const [own, other] = [
    (await expectSuccess(ada.post(awards, { name: 'thumbsup' }))).body,
    (await expectSuccess(bob.post(awards, { name: 'thumbsdown' }))).body,
  ];
  for (const by of [bob, owner]) {
    const { status, body } = await by.delete(`${awards}/${own.id}`);
    assert.deepEqual([status, body], [401, UNAUTHORIZED]);
  }
  const early = { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' };
  assert.equal((await ada.send('DELETE', `${awards}/${own.id}`, { headers: early })).status, 412);
  assert.equal((await ada.delete(`${awards}/${own.id}`)).status, 204);
  assert.equal((await root.delete(`${awards}/${other.id}`)).status, 204);
  assert.deepEqual((await ada.delete(`${awards}/${own.id}`)).body, { message: '404 Not found' });
  const { upvotes, downvotes } = (await owner.get(at)).body;
  assert.deepEqual([upvotes, downvotes], [0, 0]);
  assert.deepEqual((await owner.get(awards)).body, []);
});

test('of two concurrent deletions of an award one succeeds', async () => {
  const { at } = await newIssue(project);
  const { id } = (await expectSuccess(owner.post(`${at}/award_emoji`, { name: 'thumbsup' }))).body;
  const answers = await Promise.all([1, 2].map(() => owner.delete(`${at}/award_emoji/${id}`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
  assert.equal((await owner.get(at)).body.upvotes, 0);
});

test('an award belongs to one awardable and is deleted with its note', async () => {
  const [issue, other] = [await newIssue(project), await newIssue(project)];
  const note = (await expectSuccess(owner.post(issue.notes, { body: 'It spins' }))).body;
  const at = `${issue.notes}/${note.id}/award_emoji`;
  const award = (await expectSuccess(owner.post(at, { name: 'thumbsup' }))).body;
  for (const wrong of [`${other.at}/award_emoji/${award.id}`, `${issue.at}/award_emoji/${award.id}`]) {
    for (const call of [owner.get(wrong), owner.delete(wrong)]) {
      assert.deepEqual((await call).body, { message: '404 Not found' });
    }
  }
  assert.deepEqual((await owner.get(`${at}/x`)).body, { error: 'award_id is invalid' });
  assert.equal((await owner.get(issue.at)).body.upvotes, 0);
  await expectSuccess(owner.delete(`${issue.notes}/${note.id}`));
  assert.deepEqual((await owner.get(at)).body, { message: '404 Not found' });
});

test('awards of deleted users belong to the ghost user; hard delete removes them', async () => {
  const [ada, bob, eve] = [await user(), await user(), await user()];
  const { at } = await newIssue(project);
  for (const by of [ada, bob, eve]) await expectSuccess(by.post(`${at}/award_emoji`, { name: 'thumbsup' }));
  for (const by of [ada, bob]) await expectSuccess(root.delete(`/users/${by.id}`));
  await expectSuccess(root.delete(`/users/${eve.id}`, { hard_delete: true }));
  await runJobs();
  const { body } = await owner.get(`${at}/award_emoji`);
  assert.deepEqual(
    body.map(({ user: by }: { user: { username: string } }) => by.username),
    ['ghost', 'ghost'],
  );
  assert.equal((await owner.get(at)).body.upvotes, 2);
});

test('moving an issue does not copy its awards', async () => {
  const { at } = await newIssue(project);
  await expectSuccess(owner.post(`${at}/award_emoji`, { name: 'thumbsup' }));
  const to = await newProject({ owner });
  const { body } = await expectSuccess(owner.post(`${at}/move`, { to_project_id: to.id }));
  assert.equal(body.upvotes, 0);
  assert.deepEqual((await owner.get(`${to.at}/issues/${body.iid}/award_emoji`)).body, []);
  assert.equal((await owner.get(at)).body.upvotes, 1);
});
