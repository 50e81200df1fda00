import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from './fixtures.testing.ts';

const { project, owner, developer, maintainer, server } = await world({
  project: { readme: true, with: ['developer', 'maintainer'] },
});

test('only Owners delete a merge request, and its iid is not reused', async () => {
  const made = await newMergeRequest(project, {}, developer);
  for (const by of [developer, maintainer]) assert.equal((await by.delete(made.at)).status, 403);
  assert.equal((await owner.delete(made.at)).status, 204);
  for (const gone of [await owner.delete(made.at), await owner.get(made.at)]) {
    assert.deepEqual([gone.status, gone.body], [404, { message: '404 Not found' }]);
  }
  assert.equal((await newMergeRequest(project)).iid, made.iid + 1);
});

test('does not delete a merge request that has changed since the given time', async () => {
  const { at } = await newMergeRequest(project);
  const headers = { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const refused = await owner.send('DELETE', at, { headers });
  assert.deepEqual([refused.status, refused.body], [412, { message: '412 Precondition Failed' }]);
  assert.equal((await owner.get(at)).status, 200);
});

test('of two concurrent deletions of a merge request the second answers 404', async () => {
  const { at } = await newMergeRequest(project);
  const both = await Promise.all([owner, owner].map((by) => by.delete(at)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404]);
});

test('deleting a merge request deletes its activity events', async () => {
  const { id, at } = await newMergeRequest(project);
  const events = () =>
    server.services.database.reader
      .selectFrom('activity_events')
      .select('action')
      .where('target_type', '=', 'MergeRequest')
      .where('target_id', '=', id)
      .execute();
  assert.deepEqual(await events(), [{ action: 'created' }]);
  await expectSuccess(owner.delete(at));
  assert.deepEqual(await events(), []);
});

test('merge requests of archived projects are read-only', async () => {
  const made = await newMergeRequest(project);
  await expectSuccess(owner.post(`${project.at}/archive`));
  const input = { title: 'T', source_branch: 'a', target_branch: 'b' };
  assert.equal((await owner.post(`${project.at}/merge_requests`, input)).status, 403);
  assert.equal((await owner.put(made.at, { title: 'T' })).status, 403);
  assert.equal((await owner.delete(made.at)).status, 403);
  assert.equal((await developer.get(made.at)).status, 200);
});
