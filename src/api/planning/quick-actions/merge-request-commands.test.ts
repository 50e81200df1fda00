import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

const here = await world({ project: { readme: true, with: ['developer', 'maintainer', 'reporter'] } });
const { project, owner, developer, maintainer, reporter, newProject, runJobs } = here;

type Made = Awaited<ReturnType<typeof newMergeRequest>>;

/** Comments with only quick actions and returns the messages and changes. */
async function command(mr: Made, body: string, { by = owner, ...params }: { by?: Caller } & object = {}) {
  const answer = await by.post(`${mr.at}/notes`, { body, ...params });
  assert.equal(answer.status, 202, answer.text);
  return [answer.body.summary[0], answer.body.commands_changes];
}

const read = async (mr: Made) => (await expectSuccess(owner.get(mr.at))).body;
const readApproverIds = async (mr: Made): Promise<number[]> =>
  (await expectSuccess(owner.get(`${mr.at}/approvals`))).body.approved_by.map(
    ({ user }: { user: { id: number } }) => user.id,
  );

test('/approve and /unapprove approve like the endpoints and create no comment', async () => {
  const mr = await newMergeRequest(project);
  const unable = (name: string) => [`Could not apply ${name} command.`, {}];
  assert.deepEqual(await command(mr, '/approve'), unable('approve'), 'authors may not approve');
  assert.deepEqual(await command(mr, '/unapprove', { by: developer }), unable('unapprove'));
  assert.deepEqual(await command(mr, '/approve', { by: developer }), ['Approved the current merge request.', {}]);
  assert.deepEqual(await readApproverIds(mr), [developer.id]);
  assert.deepEqual(await command(mr, '/approve', { by: developer }), unable('approve'));
  assert.deepEqual(await command(mr, '/unapprove', { by: developer }), ['Unapproved the current merge request.', {}]);
  assert.deepEqual(await readApproverIds(mr), []);
  const notes = (await expectSuccess(owner.get(`${mr.at}/notes`, { sort: 'asc' }))).body;
  assert.deepEqual(
    notes.map(({ body, system }: { body: string; system: boolean }) => [body, system]),
    [
      ['approved this merge request', true],
      ['unapproved this merge request', true],
    ],
  );
  const commented = await expectSuccess(developer.post(`${mr.at}/notes`, { body: 'Good work\n\n/approve' }));
  assert.deepEqual([commented.status, commented.body.body], [201, 'Good work']);
  assert.deepEqual(await readApproverIds(mr), [developer.id]);
});

test('/merge merges the commit that the user saw', async () => {
  const mr = await newMergeRequest(project);
  const merge = (params: object = {}) => command(mr, '/merge', params);
  assert.deepEqual(await merge({ by: reporter }), ['Could not apply merge command.', {}]);
  assert.deepEqual(await merge(), ['The `/merge` quick action requires the SHA of the head of the branch.', {}]);
  const other = { merge_request_diff_head_sha: '1'.repeat(40) };
  assert.deepEqual(await merge(other), ['Branch has been updated since the merge was requested.', {}]);
  const seen = { merge_request_diff_head_sha: mr.sha };
  assert.deepEqual(await merge(seen), ['Merged this merge request.', { merge: mr.sha }]);
  await runJobs();
  const { state, merged_by } = await read(mr);
  assert.deepEqual([state, merged_by.id], ['merged', owner.id]);
  assert.deepEqual(await merge(seen), ['Could not apply merge command.', {}]);
});

test('/merge enables auto-merge while a pipeline runs', async () => {
  const mr = await newMergeRequest(project);
  await insertPipelineRow(here, project, { sha: mr.sha, ref: mr.source_branch, status: 'running' });
  const seen = { by: maintainer, merge_request_diff_head_sha: mr.sha };
  assert.deepEqual(await command(mr, '/merge', seen), ['Set to auto-merge.', { merge: mr.sha }]);
  await runJobs();
  const { state, merge_when_pipeline_succeeds, merge_user } = await read(mr);
  assert.deepEqual([state, merge_when_pipeline_succeeds, merge_user.id], ['opened', true, maintainer.id]);
});

test('/merge enables auto-merge before the time of merge_after', async () => {
  const mr = await newMergeRequest(project, { merge_after: '2099-01-01T00:00:00Z' });
  const seen = { merge_request_diff_head_sha: mr.sha };
  assert.deepEqual(await command(mr, '/merge', seen), ['Set to auto-merge.', { merge: mr.sha }]);
  await runJobs();
  const { state, merge_when_pipeline_succeeds } = await read(mr);
  assert.deepEqual([state, merge_when_pipeline_succeeds], ['opened', true]);
});

test('/merge by a user who loses the permission before the merge stores an error', async () => {
  const other = await newProject({ readme: true, with: ['maintainer'] });
  const mr = await newMergeRequest(other);
  const params = { body: '/merge', merge_request_diff_head_sha: mr.sha };
  await expectSuccess(other.maintainer.post(`${mr.at}/notes`, params));
  await expectSuccess(other.owner.put(`${other.at}/members/${other.maintainer.id}`, { access_level: 20 }));
  await runJobs();
  const { state, merge_error } = (await expectSuccess(other.owner.get(mr.at))).body;
  assert.deepEqual([state, merge_error], ['opened', 'Merge failed: the merge request cannot be merged now.']);
});

test('/rebase rebases the source branch', async () => {
  const mr = await newMergeRequest(project);
  const base = await project.commit({ [`${mr.source_branch}-main.txt`]: 'x' });
  assert.deepEqual(await command(mr, '/rebase', { by: reporter }), ['Could not apply rebase command.', {}]);
  const scheduled = `Scheduled a rebase of branch ${mr.source_branch}.`;
  assert.deepEqual(await command(mr, '/rebase'), [scheduled, { rebase: true }]);
  assert.deepEqual(await command(mr, '/rebase'), ['A rebase is already in progress.', {}]);
  await runJobs();
  assert.equal((await read(mr)).diff_refs.base_sha, base);
  await expectSuccess(owner.post(`${project.at}/protected_branches`, { name: mr.source_branch }));
  assert.deepEqual(await command(mr, '/rebase'), ['This merge request branch is protected from force push.', {}]);
});

test('/target_branch changes the target branch, in comments and descriptions', async () => {
  const mr = await newMergeRequest(project);
  for (const branch of ['release', 'stable'])
    await expectSuccess(owner.post(`${project.repository}/branches`, { branch, ref: 'main' }));
  const changes = { target_branch: 'release' };
  assert.deepEqual(await command(mr, '/target_branch release'), ['Set target branch to release.', changes]);
  assert.equal((await read(mr)).target_branch, 'release');
  const described = await expectSuccess(owner.put(mr.at, { description: 'Text\n\n/target_branch stable' }));
  assert.deepEqual([described.body.target_branch, described.body.description], ['stable', 'Text']);
  const { status, body } = await owner.post(`${mr.at}/notes`, { body: '/target_branch nowhere' });
  const message = '400 Bad request - Note {:validation=>["Target branch is invalid"]}';
  assert.deepEqual([status, body], [400, { message }]);
  assert.equal((await read(mr)).target_branch, 'stable');
});

test('/reassign, /reassign_reviewer and /request_review set assignees and reviewers', async () => {
  const mr = await newMergeRequest(project, { assignee_ids: [owner.id], reviewer_ids: [owner.id] });
  const name = (user: { username: string }) => `@${user.username}`;
  assert.deepEqual(await command(mr, `/reassign ${name(developer)}`), [
    'Changed assignees.',
    { assignee_ids: [developer.id] },
  ]);
  assert.deepEqual(await command(mr, `/reassign_reviewer ${name(developer)}`), [
    'Changed reviewers.',
    { reviewer_ids: [developer.id] },
  ]);
  await command(mr, '/approve', { by: developer });
  assert.deepEqual(await command(mr, `/request_review ${name(developer)}`), [
    `Requested a review from ${name(developer)}.`,
    {},
  ]);
  assert.deepEqual(await command(mr, `/request_review ${name(maintainer)}`), [
    `Requested a review from ${name(maintainer)}.`,
    { reviewer_ids: [developer.id, maintainer.id] },
  ]);
  const { body } = await expectSuccess(owner.get(`${mr.at}/reviewers`));
  assert.deepEqual(
    body.map(({ user, state }: { user: { id: number }; state: string }) => [user.id, state]),
    [
      [developer.id, 'unreviewed'],
      [maintainer.id, 'unreviewed'],
    ],
  );
  assert.deepEqual(await command(mr, '/request_review'), [
    'Failed to request a review because no user was specified.',
    {},
  ]);
});
