import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';

const { server, project, owner, reporter, planner, guest, anonymous, newProject } = await world({
  project: { readme: true, with: ['reporter', 'planner', 'guest'] },
});

/** Creates a merge request with three commits whose target branch has new commits. */
async function createWithThreeCommits() {
  const source_branch = await newBranch(project);
  const ids: string[] = [
    (await expectSuccess(owner.get(`${project.repository}/branches/${source_branch}`))).body.commit.id,
  ];
  for (const at of [2, 3]) {
    ids.push(
      await project.commit(
        { [`${source_branch}-${at}.txt`]: 'x\n' },
        { branch: source_branch, at: 1_700_000_000 + at },
      ),
    );
  }
  const mr = await newMergeRequest(project, { source_branch });
  await project.commit({ [`${source_branch}-main.txt`]: 'x' });
  return { ...mr, ids };
}

const idsOf = (body: readonly { readonly id: string }[]) => body.map(({ id }) => id);

test('lists the commits that the target branch lacks, newest first, in pages', async () => {
  const mr = await createWithThreeCommits();
  const all = await owner.get(`${mr.at}/commits`);
  assert.deepEqual([idsOf(all.body), all.headers['x-total']], [mr.ids.toReversed(), '3']);
  const second = await reporter.get(`${mr.at}/commits`, { per_page: 2, page: 2 });
  assert.deepEqual([idsOf(second.body), second.headers['x-total-pages']], [mr.ids.slice(0, 1), '2']);
});

test('returns the diffs in pages and with the merge request', async () => {
  const mr = await createWithThreeCommits();
  const { body, headers } = await owner.get(`${mr.at}/diffs`, { per_page: 2 });
  const names = [2, 3].map((at) => `${mr.source_branch}-${at}.txt`);
  assert.deepEqual(
    body.map((file: { new_path: string }) => file.new_path),
    names,
  );
  assert.deepEqual([headers['x-total'], body[0].diff, body[0].new_file], ['3', '@@ -0,0 +1 @@\n+x\n', true]);
  const unified = (await owner.get(`${mr.at}/diffs`, { unidiff: true })).body[0].diff;
  assert.equal(unified, `--- /dev/null\n+++ b/${names[0]}\n@@ -0,0 +1 @@\n+x\n`);
  const { changes, overflow, ...rest } = (await owner.get(`${mr.at}/changes`)).body;
  assert.deepEqual(changes.slice(0, 2), body);
  assert.equal(overflow, false);
  assert.deepEqual(rest, (await owner.get(mr.at)).body);
});

test('truncates diffs of more than a thousand files unless all are requested', async () => {
  const place = await newProject({ readme: true });
  const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`d${at % 10}/f${at}.txt`, 'x\n']));
  await place.commit(files, { branch: 'large' });
  const mr = await newMergeRequest(place, { source_branch: 'large' });
  assert.equal(mr.changes_count, '1000+');
  const cut = (await expectSuccess(place.owner.get(`${mr.at}/changes`))).body;
  assert.deepEqual([cut.changes.length, cut.overflow], [1000, true]);
  const whole = (await expectSuccess(place.owner.get(`${mr.at}/changes`, { access_raw_diffs: true }))).body;
  assert.deepEqual([whole.changes.length, whole.overflow], [1001, false]);
  const listed = await expectSuccess(place.owner.get(`${mr.at}/diffs`, { per_page: 100 }));
  assert.deepEqual([listed.body.length, listed.headers['x-total']], [100, undefined], 'the list is not complete');
  const ofCommit = await expectSuccess(place.owner.get(`${place.repository}/commits/${mr.sha}/diff`));
  assert.equal(ofCommit.headers['x-total'], undefined);
});

test('returns the same commits and diffs after the merge', async () => {
  const mr = await createWithThreeCommits();
  const paths = ['commits', 'diffs'];
  const told = () => Promise.all(paths.map(async (path) => (await expectSuccess(owner.get(`${mr.at}/${path}`))).body));
  const before = await told();
  await expectSuccess(owner.put(`${mr.at}/merge`));
  assert.deepEqual(await told(), before);
  assert.deepEqual((await owner.get(mr.at)).body.diff_refs, mr.diff_refs);
});

test('needs the permission to read code', async () => {
  const mr = await createWithThreeCommits();
  for (const path of ['commits', 'diffs', 'changes', 'merge_ref']) {
    const statuses = [planner, guest, reporter, anonymous].map(async (by) => (await by.get(`${mr.at}/${path}`)).status);
    assert.deepEqual(await Promise.all(statuses), [403, 403, 200, 404]);
    assert.equal((await owner.get(`${project.at}/merge_requests/0/${path}`)).status, 404);
  }
});

test('the merge ref moves no branch and is stable while the branches are unchanged', async () => {
  const mr = await createWithThreeCommits();
  const tip = async () => (await owner.get(`${project.repository}/branches/main`)).body.commit.id;
  const before = await tip();
  const { status, body } = await reporter.get(`${mr.at}/merge_ref`);
  assert.equal(status, 200);
  const commit = (await expectSuccess(owner.get(`${project.repository}/commits/${body.commit_id}`))).body;
  assert.deepEqual(commit.parent_ids, [before, mr.sha]);
  assert.deepEqual((await owner.get(`${mr.at}/merge_ref`)).body, body);
  assert.equal(await tip(), before);
  await project.commit({ [`${mr.source_branch}.txt`]: 'conflict' });
  const refused = await owner.get(`${mr.at}/merge_ref`);
  assert.deepEqual([refused.status, refused.body], [400, { message: 'Merge request is not mergeable' }]);
});

test('returns only the id of a head that does not exist', async () => {
  const mr = await newMergeRequest(project);
  const sha = '1'.repeat(40);
  await server.services.database.transaction(async (tx) => {
    await tx.updateTable('merge_requests').set({ head_sha: sha }).where('id', '=', mr.id).execute();
    const columns = { head_commit_sha: sha, start_commit_sha: null, base_commit_sha: null };
    await tx.updateTable('merge_request_versions').set(columns).where('merge_request_id', '=', mr.id).execute();
  });
  const { body } = await expectSuccess(owner.get(mr.at));
  assert.deepEqual([body.sha, body.detailed_merge_status, body.changes_count], [sha, 'commits_status', '0']);
  for (const path of ['commits', 'diffs'])
    assert.deepEqual((await expectSuccess(owner.get(`${mr.at}/${path}`))).body, []);
  assert.equal((await owner.put(`${mr.at}/merge`)).status, 405);
});

test('returns diverged commits, rebase state and HTML texts on request', async () => {
  const input = { title: 'More <b>', description: '# Why\n\n"x" & y', source_branch: await newBranch(project) };
  const mr = await newMergeRequest(project, input);
  await project.commit({ 'on.txt': 'on' });
  await project.commit({ 'on.txt': 'and on' });
  const { body } = await owner.get(mr.at, {
    include_diverged_commits_count: true,
    include_rebase_in_progress: true,
    render_html: true,
  });
  const { diverged_commits_count, rebase_in_progress, title_html, description_html } = body;
  assert.deepEqual([diverged_commits_count, rebase_in_progress, title_html], [2, false, 'More &lt;b&gt;']);
  assert.equal(description_html, '<p dir="auto"># Why</p>\n<p dir="auto">&quot;x&quot; &amp; y</p>');
  const plain = (await owner.get(mr.at)).body;
  for (const key of ['diverged_commits_count', 'rebase_in_progress', 'title_html', 'description_html']) {
    assert.ok(!(key in plain), key);
  }
});
