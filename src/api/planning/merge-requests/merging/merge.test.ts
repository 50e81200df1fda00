import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';

const { server, root, newProject } = await world();
const { reader } = server.services.database;

const place = (settings: Readonly<Record<string, unknown>> = {}) => newProject({ readme: true, ...settings });
const headOf = async ({ owner, repository }: Project, branch: string) =>
  (await owner.get(`${repository}/branches/${encodeURIComponent(branch)}`)).body.commit?.id;
const commitOf = async ({ owner, repository }: Project, sha: string) =>
  (await expectSuccess(owner.get(`${repository}/commits/${sha}`))).body;

test('a merge creates a merge commit with the default message', async () => {
  const project = await place();
  const mr = await newMergeRequest(project, { title: 'Add words' });
  const before = await headOf(project, 'main');
  const { status, body } = await project.owner.put(`${mr.at}/merge`);
  assert.equal(status, 200);
  const { state, merged_by, merge_user, merge_commit_sha, squash_commit_sha, detailed_merge_status } = body;
  const me = project.owner.id;
  assert.deepEqual([state, merged_by.id, merge_user.id, squash_commit_sha], ['merged', me, me, null]);
  assert.deepEqual(
    [detailed_merge_status, body.merge_status, body.has_conflicts],
    ['not_open', 'can_be_merged', false],
  );
  assert.equal(await headOf(project, 'main'), merge_commit_sha);
  const made = await commitOf(project, merge_commit_sha);
  assert.deepEqual(made.parent_ids, [before, mr.sha]);
  const said = `Merge branch '${mr.source_branch}' into 'main'\n\nAdd words\n\nSee merge request ${project.path_with_namespace}!${mr.iid}`;
  assert.equal(made.message, said);
  assert.deepEqual([made.author_name, made.committer_email], [`Name of ${project.owner.username}`, made.author_email]);
  assert.deepEqual((await project.owner.get(mr.at)).body, body);
});

test('a merge records a push, a state event and an activity event, and deletes the source branch', async () => {
  const project = await newProject({ readme: true, with: ['maintainer'] });
  const mr = await newMergeRequest(project);
  const mark = await markRecordedEvents(reader);
  await expectSuccess(project.maintainer.put(`${mr.at}/merge`, { should_remove_source_branch: true }));
  const recorded = await listRecordedSince(reader, mark);
  assert.deepEqual(recorded, ['pushed to branch', 'deleted branch', 'merged MergeRequest', 'state merged']);
  const events = reader.selectFrom('activity_events').select(['author_id', 'action_name', 'target_id', 'target_iid']);
  const [accepted, ...pushes] = await events
    .where('project_id', '=', project.id)
    .orderBy('id', 'desc')
    .limit(3)
    .execute();
  const author_id = project.maintainer.id;
  assert.deepEqual(accepted, { author_id, action_name: 'accepted', target_id: mr.id, target_iid: mr.iid });
  assert.deepEqual(
    pushes.map((push) => [push.action_name, push.author_id]),
    [
      ['deleted', author_id],
      ['pushed to', author_id],
    ],
  );
  const steps = reader.selectFrom('resource_state_events').select(['state', 'user_id']);
  assert.deepEqual(await steps.where('merge_request_id', '=', mr.id).execute(), [
    { state: 'merged', user_id: author_id },
  ]);
});

test('custom messages replace the default messages', async () => {
  const project = await place();
  const mr = await newMergeRequest(project, { squash: true, title: 'Title' });
  const input = { merge_commit_message: 'Merged', squash_commit_message: 'Squashed' };
  const { body } = await expectSuccess(project.owner.put(`${mr.at}/merge`, input));
  const [merge, squash] = [body.merge_commit_sha, body.squash_commit_sha];
  assert.deepEqual(
    [(await commitOf(project, merge)).message, (await commitOf(project, squash)).message],
    ['Merged', 'Squashed'],
  );
});

test('a squash creates one commit of the author with all changes', async () => {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const branch = await newBranch(project);
  await project.commit({ 'two.txt': '2' }, { branch });
  const mr = await newMergeRequest(project, { source_branch: branch, title: 'Both' }, project.developer);
  const before = await headOf(project, 'main');
  const { body } = await expectSuccess(project.maintainer.put(`${mr.at}/merge`, { squash: true }));
  const squash = await commitOf(project, body.squash_commit_sha);
  assert.deepEqual([squash.parent_ids, squash.message], [[before], 'Both']);
  const names = [project.developer, project.maintainer].map(({ username }) => `Name of ${username}`);
  assert.deepEqual([squash.author_name, squash.committer_name], names);
  const merge = await commitOf(project, body.merge_commit_sha);
  assert.deepEqual(merge.parent_ids, [before, squash.id]);
  assert.equal((await project.owner.get(`${project.repository}/files/two.txt/raw`, { ref: 'main' })).text, '2');
});

test('a merge stores whether it squashes, in the merge request', async () => {
  const project = await place();
  for (const [choice, squash] of [
    [false, true],
    [true, false],
  ]) {
    const mr = await newMergeRequest(project, { squash: choice });
    const { body } = await expectSuccess(project.owner.put(`${mr.at}/merge`, { squash }));
    assert.deepEqual([body.squash, body.squash_on_merge, body.squash_commit_sha !== null], [squash, squash, squash]);
    assert.equal((await expectSuccess(project.owner.get(mr.at))).body.squash, squash);
  }
  const unchanged = await newMergeRequest(project, { squash: true });
  assert.equal((await expectSuccess(project.owner.put(`${unchanged.at}/merge`))).body.squash, true);
});

test('a fast-forward moves the branch to the head or the squash commit', async () => {
  const project = await place({ merge_method: 'ff' });
  const mr = await newMergeRequest(project);
  const { body } = await expectSuccess(project.owner.put(`${mr.at}/merge`));
  assert.deepEqual([body.merge_commit_sha, await headOf(project, 'main')], [null, mr.sha]);
  const other = await newMergeRequest(project);
  const { body: squashed } = await expectSuccess(project.owner.put(`${other.at}/merge`, { squash: true }));
  assert.deepEqual([squashed.merge_commit_sha, await headOf(project, 'main')], [null, squashed.squash_commit_sha]);
  assert.deepEqual((await commitOf(project, squashed.squash_commit_sha)).parent_ids, [mr.sha]);
});

test('a linear history requires a rebase before the merge', async () => {
  for (const merge_method of ['ff', 'rebase_merge']) {
    const project = await place({ merge_method });
    const mr = await newMergeRequest(project);
    const tip = await project.commit({ 'on-main.txt': 'x' });
    const read = (await project.owner.get(mr.at)).body;
    assert.deepEqual([read.detailed_merge_status, read.merge_status], ['need_rebase', 'can_be_merged']);
    const { status, body } = await project.owner.put(`${mr.at}/merge`);
    assert.deepEqual([status, body], [405, { message: '405 Method Not Allowed' }]);
    assert.equal(await headOf(project, 'main'), tip);
  }
  const project = await place({ merge_method: 'rebase_merge' });
  const mr = await newMergeRequest(project);
  const { body } = await expectSuccess(project.owner.put(`${mr.at}/merge`));
  assert.equal((await commitOf(project, body.merge_commit_sha)).parent_ids.length, 2);
});

test('the project setting can require or forbid squashing', async () => {
  const project = await place({ squash_option: 'never' });
  const mr = await newMergeRequest(project);
  assert.equal(
    (await expectSuccess(project.owner.put(`${mr.at}/merge`, { squash: true }))).body.squash_commit_sha,
    null,
  );
  await expectSuccess(project.owner.put(project.at, { squash_option: 'always' }));
  const other = await newMergeRequest(project);
  assert.notEqual(
    (await expectSuccess(project.owner.put(`${other.at}/merge`, { squash: false }))).body.squash_commit_sha,
    null,
  );
});

test('deletes the source branch by the options of the merge, the merge request or the project', async () => {
  const project = await place();
  const removes = async (made: object, said: Readonly<Record<string, unknown>>) => {
    const mr = await newMergeRequest(project, made);
    await expectSuccess(project.owner.put(`${mr.at}/merge`, said));
    return (await headOf(project, mr.source_branch)) === undefined;
  };
  assert.equal(await removes({}, {}), true);
  assert.equal(await removes({ remove_source_branch: false }, {}), false);
  assert.equal(await removes({ remove_source_branch: true }, { should_remove_source_branch: false }), false);
  await expectSuccess(project.owner.put(project.at, { remove_source_branch_after_merge: false }));
  assert.equal(await removes({}, {}), false);
  assert.equal(await removes({ remove_source_branch: true }, {}), true);
  assert.equal(await removes({}, { should_remove_source_branch: true }), true);
});

test('keeps a protected or default source branch', async () => {
  const project = await place();
  const mr = await newMergeRequest(project);
  await expectSuccess(project.owner.post(`${project.at}/protected_branches`, { name: mr.source_branch }));
  await expectSuccess(project.owner.put(`${mr.at}/merge`, { should_remove_source_branch: true }));
  assert.equal(await headOf(project, mr.source_branch), mr.sha);
  await expectSuccess(project.owner.post(`${project.repository}/branches`, { branch: 'old', ref: mr.sha }));
  await project.commit({ 'new.txt': 'x' });
  const back = await newMergeRequest(project, { source_branch: 'main', target_branch: 'old' });
  await expectSuccess(project.owner.put(`${back.at}/merge`, { should_remove_source_branch: true }));
  assert.equal(await headOf(project, 'main'), back.sha);
});

test('rejects a merge into a read-only repository', async () => {
  const project = await place();
  const mr = await newMergeRequest(project);
  await expectSuccess(root.put(project.at, { repository_read_only: true }));
  const { status, body } = await project.owner.put(`${mr.at}/merge`, { sha: 'x' });
  const text = 'The repository is temporarily read-only. Please try again later.';
  assert.deepEqual([status, body], [400, { message: text }]);
  assert.equal((await project.owner.get(mr.at)).body.state, 'opened');
});
