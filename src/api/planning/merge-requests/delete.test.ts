import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, world } from '#test/support/world.ts';
import { newMergeRequest } from './fixtures.testing.ts';

const { project, owner, developer, maintainer, server } = await world({
  project: { readme: true, with: ['developer', 'maintainer'] },
});

test('an Owner deletes a merge request, nobody else does, and its number is never given again', async () => {
  const made = await newMergeRequest(project, {}, developer);
  for (const by of [developer, maintainer]) assert.equal((await by.delete(made.at)).status, 403);
  assert.equal((await owner.delete(made.at)).status, 204);
  for (const gone of [await owner.delete(made.at), await owner.get(made.at)]) {
    assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await newMergeRequest(project)).iid, made.iid + 1);
});

test('a merge request that has changed since is not deleted', async () => {
  const { at } = await newMergeRequest(project);
  const headers = { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const refused = await owner.send('DELETE', at, { headers });
  assert.deepEqual([refused.status, refused.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await owner.get(at)).status, 200);
});

test('of two who delete a merge request at once the second is told that it is gone', async () => {
  const { at } = await newMergeRequest(project);
  const both = await Promise.all([owner, owner].map((by) => by.delete(at)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404]);
});

test('what the feeds say of a merge request goes with it', async () => {
  const { id, at } = await newMergeRequest(project);
  const events = () =>
    server.services.database.reader
      .selectFrom('activity_events')
      .select('action')
      .where('target_type', '=', 'MergeRequest')
      .where('target_id', '=', id)
      .execute();
  assert.deepEqual(await events(), [{ action: 'created' }]);
  await done(owner.delete(at));
  assert.deepEqual(await events(), []);
});

test('in an archived project merge requests are read and not written', async () => {
  const made = await newMergeRequest(project);
  await done(owner.post(`${project.at}/archive`));
  const wish = { title: 'T', source_branch: 'a', target_branch: 'b' };
  assert.equal((await owner.post(`${project.at}/merge_requests`, wish)).status, 403);
  assert.equal((await owner.put(made.at, { title: 'T' })).status, 403);
  assert.equal((await owner.delete(made.at)).status, 403);
  assert.equal((await developer.get(made.at)).status, 200);
});
