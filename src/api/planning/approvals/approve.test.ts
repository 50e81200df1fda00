import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

const { server, project, owner, developer, reporter, withToken, newProject } = await world({
  project: { readme: true, with: ['developer', 'reporter'] },
});
const E401 = [401, { message: '401 Unauthorized' }];

type Made = Awaited<ReturnType<typeof newMergeRequest>>;

const listApprovers = async (mr: Made, by = reporter) => {
  const { body } = await expectSuccess(by.get(`${mr.at}/approvals`));
  return body.approved_by.map(({ user }: { user: { id: number } }) => user.id);
};

const listNotes = async (mr: Made) =>
  (await expectSuccess(owner.get(`${mr.at}/notes`, { sort: 'asc' }))).body.map(({ body }: { body: string }) => body);

test('approving and unapproving succeed once and create notes', async () => {
  const mr = await newMergeRequest(project);
  const before = (await expectSuccess(developer.get(`${mr.at}/approvals`))).body;
  assert.deepEqual(
    [before.approved, before.user_has_approved, before.user_can_approve, before.merge_status],
    [true, false, true, 'can_be_merged'],
  );
  const { status, body } = await developer.post(`${mr.at}/approve`, { sha: mr.sha });
  assert.deepEqual([status, body.user_has_approved, body.user_can_approve], [201, true, false]);
  assert.deepEqual(await listApprovers(mr), [developer.id]);
  const again = await developer.post(`${mr.at}/approve`);
  assert.deepEqual([again.status, again.body], E401);
  assert.equal((await expectSuccess(developer.post(`${mr.at}/unapprove`))).body.user_has_approved, false);
  const none = await developer.post(`${mr.at}/unapprove`);
  assert.deepEqual([none.status, none.body], [404, { message: '404 Not Found' }]);
  assert.deepEqual(await listNotes(mr), ['approved this merge request', 'unapproved this merge request']);
  const events = (await expectSuccess(developer.get('/events', { action: 'approved' }))).body;
  assert.deepEqual([events[0].target_iid, events[0].target_type], [mr.iid, 'MergeRequest']);
});

test('approving with another sha fails with the current head; an approval survives a new head', async () => {
  const mr = await newMergeRequest(project);
  const other = await developer.post(`${mr.at}/approve`, { sha: 'a'.repeat(40) });
  const message = `SHA does not match HEAD of source branch: ${mr.sha}`;
  assert.deepEqual([other.status, other.body], [409, { message }]);
  await expectSuccess(developer.post(`${mr.at}/approve`, { sha: mr.sha }));
  await project.commit({ 'more.txt': 'x' }, { branch: mr.source_branch });
  assert.deepEqual(await listApprovers(mr), [developer.id]);
});

test('concurrent approvals by one user create one approval', async () => {
  const mr = await newMergeRequest(project);
  const answers = await Promise.all([1, 2, 3, 4].map(() => developer.post(`${mr.at}/approve`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401, 401]);
  assert.deepEqual(await listNotes(mr), ['approved this merge request']);
});

test('authors, callers below Developer, and anyone after the merge cannot approve', async () => {
  const mr = await newMergeRequest(project, {}, developer);
  const own = await developer.post(`${mr.at}/approve`);
  assert.deepEqual([own.status, own.body], E401);
  assert.equal((await expectSuccess(developer.get(`${mr.at}/approvals`))).body.user_can_approve, false);
  assert.equal((await reporter.post(`${mr.at}/approve`)).status, 403);
  await expectSuccess(owner.post(`${mr.at}/approve`));
  await expectSuccess(owner.put(`${mr.at}/merge`));
  for (const [verb, expected] of [
    ['approve', 401],
    ['unapprove', 404],
  ] as const) {
    assert.equal((await owner.post(`${mr.at}/${verb}`)).status, expected, verb);
  }
  assert.deepEqual(await listApprovers(mr), [owner.id]);
});

test('a token bot resets all approvals without notifications', async () => {
  const mr = await newMergeRequest(project, { reviewer_ids: [developer.id] });
  await expectSuccess(developer.post(`${mr.at}/approve`));
  const refused = await owner.put(`${mr.at}/reset_approvals`);
  assert.deepEqual([refused.status, refused.body], E401);
  const order = { name: 'bot', scopes: ['api'], expires_at: '2026-12-01', access_level: 30 };
  const { token } = (await expectSuccess(owner.post(`${project.at}/access_tokens`, order))).body;
  const { status, body } = await withToken(owner, token).put(`${mr.at}/reset_approvals`);
  assert.deepEqual([status, body], [202, { message: '202 Accepted' }]);
  assert.deepEqual(await listApprovers(mr), []);
  assert.deepEqual(await listNotes(mr), ['approved this merge request']);
  assert.equal((await expectSuccess(developer.get(`${mr.at}/reviewers`))).body[0].state, 'unapproved');
});

test('the approval state has no rules, and archived projects allow no approvals', async () => {
  const place = await newProject({ readme: true });
  const mr = await newMergeRequest(place);
  const rules = await expectSuccess(place.owner.get(`${mr.at}/approval_state`));
  assert.deepEqual(rules.body, { approval_rules_overwritten: false, rules: [] });
  await expectSuccess(place.owner.post(`${place.at}/archive`));
  for (const [method, verb] of [
    ['post', 'approve'],
    ['post', 'unapprove'],
    ['put', 'reset_approvals'],
  ] as const) {
    assert.equal((await place.owner[method](`${mr.at}/${verb}`)).status, 403, verb);
  }
  const { reader } = server.services.database;
  const rows = await reader.selectFrom('merge_request_approvals').select('id').where('merge_request_id', '=', mr.id);
  assert.deepEqual(await rows.execute(), []);
});

test('authors can approve their own merge request on the free tier', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const place = await free.newProject({ readme: true });
  const mr = await newMergeRequest(place);
  const { body } = await expectSuccess(place.owner.post(`${mr.at}/approve`));
  assert.equal(body.user_has_approved, true);
});
