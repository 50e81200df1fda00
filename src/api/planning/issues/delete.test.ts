import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { project, owner, planner, developer, newProject } = await world({ project: { with: ['planner', 'developer'] } });
const issues = `${project.at}/issues`;
const createIssue = async () => (await expectSuccess(owner.post(issues, { title: 'Broken' }))).body;

test('Owners and Planners delete an issue, other roles do not', async () => {
  const [one, two] = [await createIssue(), await createIssue()];
  assert.equal((await developer.delete(`${issues}/${one.iid}`)).status, 403);
  for (const [by, { iid }] of [
    [owner, one],
    [planner, two],
  ] as const) {
    assert.equal((await by.delete(`${issues}/${iid}`)).status, 204);
    const again = await by.delete(`${issues}/${iid}`);
    assert.deepEqual([again.status, again.body], [404, { message: '404 Issue Not Found' }]);
  }
  const next = await createIssue();
  assert.equal(next.iid, two.iid + 1, 'an iid is never reused');
});

test('of two concurrent deletions of an issue the second answers 404', async () => {
  const { iid } = await createIssue();
  const both = await Promise.all([owner, planner].map((by) => by.delete(`${issues}/${iid}`)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404]);
});

test('does not delete an issue that has changed since the given time', async () => {
  const { iid } = await createIssue();
  const headers = { 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' };
  const refused = await owner.send('DELETE', `${issues}/${iid}`, { headers });
  assert.equal(refused.status, 412);
  assert.equal((await owner.get(`${issues}/${iid}`)).status, 200);
});

test('an iid chosen by an Owner is used once, and later iids follow it', async () => {
  const chosen = await expectSuccess(owner.post(issues, { title: 'T', iid: 70 }));
  assert.equal(chosen.body.iid, 70);
  const again = await owner.post(issues, { title: 'T', iid: 70 });
  assert.deepEqual([again.status, again.body], [409, { message: 'Duplicated issue' }]);
  assert.equal((await expectSuccess(developer.post(issues, { title: 'T', iid: 900 }))).body.iid, 71);
});

test('rejects an iid that leaves none for later issues', async () => {
  const refused = await owner.post(issues, { title: 'T', iid: 2 ** 31 });
  assert.deepEqual([refused.status, refused.body], [400, { error: 'iid does not have a valid value' }]);
});

test('concurrently created issues get consecutive iids', async () => {
  const filed = await Promise.all(Array.from({ length: 50 }, () => createIssue()));
  const iids = filed.map(({ iid }) => iid).sort((one, other) => one - other);
  assert.deepEqual(
    iids,
    iids.map((_, index) => iids[0] + index),
  );
});

test('only administrators get an issue by id', async () => {
  const { root } = await world();
  const { id } = await createIssue();
  assert.equal((await root.get(`/issues/${id}`)).body.id, id);
  assert.equal((await owner.get(`/issues/${id}`)).status, 403);
  const missing = await root.get('/issues/987654');
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
});

test('issues of archived projects are read-only', async () => {
  const { iid } = await createIssue();
  await expectSuccess(owner.post(`${project.at}/archive`));
  assert.equal((await owner.post(issues, { title: 'T' })).status, 403);
  assert.equal((await owner.put(`${issues}/${iid}`, { title: 'T' })).status, 403);
  assert.equal((await owner.delete(`${issues}/${iid}`)).status, 403);
  for (const verb of ['subscribe', 'unsubscribe']) {
    assert.equal((await developer.post(`${issues}/${iid}/${verb}`)).status, 403, verb);
  }
  const other = await newProject({ owner });
  const { body } = await expectSuccess(owner.post(`${other.at}/issues`, { title: 'T' }));
  assert.equal((await owner.post(`${issues}/${iid}/move`, { to_project_id: other.id })).status, 403);
  const into = await owner.post(`${other.at}/issues/${body.iid}/move`, { to_project_id: project.id });
  assert.deepEqual([into.status, into.body], [403, { message: '403 Forbidden' }]);
  assert.equal((await developer.get(`${issues}/${iid}`)).status, 200);
  await expectSuccess(owner.post(`${project.at}/unarchive`));
});

test('destroying a project deletes its issues in several batches', async () => {
  const { newProject, server } = await world();
  const big = await newProject();
  const { body } = await expectSuccess(big.owner.post(`${big.at}/issues`, { title: 'T' }));
  const { database } = server.services;
  const first = await database.reader
    .selectFrom('issues')
    .selectAll()
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow();
  const { id: _id, ...like } = first;
  const more = Array.from({ length: 600 }, (_, index) => ({ ...like, iid: index + 2 }));
  for (let from = 0; from < more.length; from += 100) {
    await database.transaction((tx) =>
      tx
        .insertInto('issues')
        .values(more.slice(from, from + 100))
        .execute(),
    );
  }
  await expectSuccess(big.owner.delete(big.at));
  const { path_with_namespace: full_path } = (await big.owner.get(big.at)).body;
  await expectSuccess(big.owner.delete(big.at, { permanently_remove: true, full_path }));
  assert.equal((await big.owner.get(big.at)).status, 404);
  const left = await database.reader.selectFrom('issues').select('id').where('project_id', '=', big.id).execute();
  assert.deepEqual(left, []);
});
