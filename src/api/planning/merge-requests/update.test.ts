import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { createMergeRequest } from './create.ts';
import { newBranch, newMergeRequest } from './fixtures.testing.ts';
import { updateMergeRequestWithLock } from './update.ts';

const here = await world({ project: { readme: true, visibility: 'public', with: ['developer', 'reporter'] } });
const { project, owner, developer, reporter, user } = here;
const at = `${project.at}/merge_requests`;

const updateMergeRequest = (by: Caller, { iid }: { iid: number }, params: Readonly<Record<string, unknown>>) =>
  by.put(`${at}/${iid}`, params);
const newTarget = async () =>
  (await expectSuccess(owner.post(`${project.repository}/branches`, { branch: here.name('target'), ref: 'main' }))).body
    .name;

test('Developers update all fields of a merge request', async () => {
  const made = await newMergeRequest(project, { labels: 'old' });
  const milestone = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: here.name('v') }))).body;
  const { status, body } = await updateMergeRequest(developer, made, {
    title: 'Draft: Say more',
    description: 'Closes nothing',
    assignee_ids: [reporter.id, developer.id],
    reviewer_ids: [owner.id],
    milestone_id: milestone.id,
    add_labels: 'new',
    remove_labels: 'old',
    discussion_locked: true,
    squash: true,
    remove_source_branch: true,
  });
  assert.equal(status, 200);
  assert.deepEqual((await developer.get(made.at)).body, body);
  const people = (users: { id: number }[]) => users.map(({ id }) => id);
  assert.deepEqual([people(body.assignees), people(body.reviewers)], [[reporter.id, developer.id], [owner.id]]);
  const { title, draft, labels, discussion_locked, squash, force_remove_source_branch } = body;
  assert.deepEqual(
    { title, draft, labels, discussion_locked, squash, force_remove_source_branch, milestone: body.milestone.id },
    {
      title: 'Draft: Say more',
      draft: true,
      labels: ['new'],
      discussion_locked: true,
      squash: true,
      force_remove_source_branch: true,
      milestone: milestone.id,
    },
  );
  const cleared = await updateMergeRequest(developer, made, {
    assignee_ids: [0],
    reviewer_ids: [],
    milestone_id: 0,
    labels: '',
  });
  const { assignees, reviewers } = cleared.body;
  assert.deepEqual([assignees, reviewers, cleared.body.milestone, cleared.body.labels], [[], [], null, []]);
});

test('author and assignees update texts, state and target branch only', async () => {
  const author = await project.addMember('developer');
  const made = await newMergeRequest(project, { assignee_ids: [reporter.id] }, author);
  await expectSuccess(owner.put(`${project.at}/members/${author.id}`, { access_level: 20 }));
  for (const by of [author, reporter]) {
    const { status, body } = await updateMergeRequest(by, made, {
      title: `By ${by.username}`,
      labels: 'x',
      squash: true,
    });
    assert.equal(status, 200);
    assert.deepEqual([body.title, body.labels, body.squash], [`By ${by.username}`, [], true]);
  }
  for (const by of [await user(), await project.addMember('reporter')]) {
    const refused = await updateMergeRequest(by, made, { title: 'Mine' });
    assert.deepEqual([refused.status, refused.body], [403, { message: '403 Forbidden' }]);
  }
});

test('reports validation errors and changes nothing', async () => {
  const made = await newMergeRequest(project);
  const names =
    'title, target_branch, description, assignee_id, assignee_ids, reviewer_ids, labels, milestone_id, remove_source_branch, squash, merge_after, state_event, discussion_locked, add_labels, remove_labels';
  const same = ["You can't use same project/branch for source and target"];
  for (const [params, status, body] of [
    [{}, 400, { error: `${names} are missing, at least one parameter must be provided` }],
    [{ title: ' ' }, 400, { message: { title: ["can't be blank"] } }],
    [{ target_branch: 'no' }, 400, { message: { target_branch: ['is invalid'] } }],
    [{ target_branch: null }, 400, { message: { target_branch: ['is invalid'] } }],
    [{ target_branch: ' ' }, 400, { message: { target_branch: ['is invalid'] } }],
    [{ target_branch: made.source_branch }, 422, { message: same }],
    [{ state_event: 'merge' }, 400, { error: 'state_event does not have a valid value' }],
  ] as const) {
    const refused = await updateMergeRequest(owner, made, params);
    assert.deepEqual([refused.status, refused.body], [status, body]);
  }
  const { at: _at, ...before } = made;
  assert.deepEqual((await owner.get(made.at)).body, before);
  assert.deepEqual((await updateMergeRequest(owner, { iid: 99_999 }, { title: 'T' })).body, {
    message: '404 Not found',
  });
});

test('closes and reopens once each', async () => {
  const made = await newMergeRequest(project);
  const closed = await updateMergeRequest(developer, made, { state_event: 'close' });
  const { state, closed_by, detailed_merge_status } = closed.body;
  assert.deepEqual([state, closed_by.id, detailed_merge_status], ['closed', developer.id, 'not_open']);
  assert.equal((await updateMergeRequest(owner, made, { state_event: 'close' })).body.closed_by.id, developer.id);
  const reopened = await updateMergeRequest(developer, made, { state_event: 'reopen' });
  assert.deepEqual([reopened.body.state, reopened.body.closed_at], ['opened', null]);
});

test('rejects reopening or a new target if another one is open for the branches', async () => {
  const source_branch = await newBranch(project);
  const closed = await newMergeRequest(project, { source_branch });
  await expectSuccess(updateMergeRequest(owner, closed, { state_event: 'close' }));
  const open = await newMergeRequest(project, { source_branch });
  const aside = await newMergeRequest(project, { source_branch, target_branch: await newTarget() });
  const taken = [`Another open merge request already exists for this source branch: !${open.iid}`];
  for (const [made, params] of [
    [closed, { state_event: 'reopen' }],
    [aside, { target_branch: 'main' }],
  ] as const) {
    const refused = await updateMergeRequest(owner, made, params);
    assert.deepEqual([refused.status, refused.body], [409, { message: taken }]);
  }
  assert.equal(
    (await updateMergeRequest(owner, open, { target_branch: 'main' })).status,
    200,
    'a merge request does not conflict with itself',
  );
  await expectSuccess(updateMergeRequest(owner, open, { state_event: 'close' }));
  const both = await Promise.all(
    [open, closed].map((one) => updateMergeRequest(owner, one, { state_event: 'reopen' })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
});

test('a new target branch, and commits pushed while it was closed, add a version', async () => {
  const made = await newMergeRequest(project);
  const target = await newTarget();
  const led = await updateMergeRequest(owner, made, { target_branch: target });
  assert.equal(led.body.target_branch, target);
  assert.deepEqual(led.body.diff_refs, made.diff_refs);
  await expectSuccess(updateMergeRequest(owner, made, { state_event: 'close' }));
  const head = await project.commit({ 'more.txt': 'more' }, { branch: made.source_branch });
  const reopened = await updateMergeRequest(owner, made, { state_event: 'reopen' });
  assert.equal(reopened.body.sha, head);
  assert.deepEqual(reopened.body.diff_refs, { ...made.diff_refs, head_sha: head });
  const versions = await here.server.services.database.reader
    .selectFrom('merge_request_versions')
    .select('head_commit_sha')
    .where('merge_request_id', '=', made.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    versions.map((version) => version.head_commit_sha),
    [made.sha, made.sha, head],
  );
});

test('without a source branch or while closed, a new target is compared with the stored head', async () => {
  const made = await newMergeRequest(project);
  const target = await newTarget();
  const start_sha = await project.commit({ 'target.txt': 'text' }, { branch: target });
  await expectSuccess(owner.delete(`${project.repository}/branches/${made.source_branch}`));
  const gone = await expectSuccess(updateMergeRequest(owner, made, { target_branch: target }));
  assert.deepEqual(gone.body.diff_refs, { ...made.diff_refs, start_sha });
  const closed = await newMergeRequest(project);
  await expectSuccess(updateMergeRequest(owner, closed, { state_event: 'close' }));
  await project.commit({ 'more.txt': 'more' }, { branch: target });
  const tip = await project.commit({ 'again.txt': 'more' }, { branch: target });
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: here.name('b'), ref: target }));
  await project.commit({ 'late.txt': 'late' }, { branch: closed.source_branch });
  const led = await expectSuccess(updateMergeRequest(owner, closed, { target_branch: target }));
  assert.deepEqual(led.body.diff_refs, { ...closed.diff_refs, start_sha: tip });
});

test('a label name with a lone surrogate is created', async () => {
  const labels = 'half \ud800';
  const issue = (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'T', labels }))).body;
  const made = await newMergeRequest(project, { labels });
  for (const path of [made.at, `${project.at}/issues/${issue.iid}`]) {
    const { body } = await expectSuccess(owner.put(path, { add_labels: `${labels}, half \ufffd` }));
    assert.deepEqual(body.labels, ['half \ufffd']);
    await expectSuccess(owner.put(path, { labels: '' }));
    assert.deepEqual((await owner.put(path, { labels })).body.labels, ['half \ufffd']);
  }
});

test('does nothing if the caller loses the role while the request waits', async () => {
  const formerMember = await project.addMember('developer');
  const made = await newMergeRequest(project, {}, formerMember);
  const again = await newMergeRequest(project);
  const { database, runUnitOfWork, git } = here.server.services;
  const user = await findUserById(database.reader, formerMember.id);
  const by = { user, token: null } as unknown as SignedInCaller;
  const place = (await findProject(database.reader, by, String(project.id)))!;
  const [row] = (await findMergeRequests(database.reader, by, [made.id])) as [MergeRequest];
  await expectSuccess(owner.post(`${project.at}/archive`));
  const services = { database, runUnitOfWork, git };
  const input = { title: 'Late', source_branch: again.source_branch, target_branch: 'aside' };
  for (const late of [{ title: 'Late' }, { target_branch: 'aside' }]) {
    await assert.rejects(updateMergeRequestWithLock(services, by, place, row, late as never), AccessRevoked);
  }
  await assert.rejects(createMergeRequest(services, by, place, input as never), AccessRevoked);
  await expectSuccess(owner.post(`${project.at}/unarchive`));
  assert.equal((await owner.get(made.at)).body.title, made.title);
});
