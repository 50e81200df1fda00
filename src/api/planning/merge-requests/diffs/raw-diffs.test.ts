import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from '../fixtures.testing.ts';

const { root, project, owner, reporter, planner, anonymous, newProject, newGroup } = await world({
  project: { readme: true, with: ['reporter', 'planner'] },
});

/** Returns the web address of a merge request, relative to the server's root. */
const webPath = ({ web_url }: { readonly web_url: string }) => `/${new URL(web_url).pathname}`;

test('returns the raw diff without caching', async () => {
  const mr = await newMergeRequest(project);
  const { text, headers } = await expectSuccess(reporter.get(`${mr.at}/raw_diffs`));
  const name = `${mr.source_branch}.txt`;
  assert.match(
    text,
    new RegExp(`^diff --git a/${name} b/${name}\nnew file mode 100644\nindex 0000000\\.\\.[0-9a-f]{7,}\n`),
  );
  assert.ok(text.includes('\n@@ -0,0 +1 @@\n+text\n'), text);
  assert.deepEqual(
    [headers['content-type'], headers['cache-control']],
    ['text/plain; charset=utf-8', 'max-age=0, private, must-revalidate, no-store, no-cache'],
  );
});

test('returns files of any size whole', async () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => `line ${at}\n`).join('');
  const source_branch = await newBranch(project);
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${source_branch}-${at}.txt`, lines]));
  await project.commit(files, { branch: source_branch });
  const mr = await newMergeRequest(project, { source_branch });
  const { text } = await expectSuccess(reporter.get(`${mr.at}/raw_diffs`));
  assert.deepEqual([text.match(/^diff --git /gm)?.length, text.match(/^\+line /gm)?.length], [9, 240_000]);
});

test('serves the web addresses of a merge request as a diff and as patches', async () => {
  const mr = await newMergeRequest(project);
  const diff = await expectSuccess(reporter.get(`${webPath(mr)}.diff`));
  assert.equal(diff.text, (await reporter.get(`${mr.at}/raw_diffs`)).text);
  const patch = await expectSuccess(reporter.get(`${webPath(mr)}.patch`));
  assert.match(patch.text, new RegExp(`^From ${mr.sha} `));
  assert.ok(patch.text.includes('\n@@ -0,0 +1 @@\n+text\n'), patch.text);
  for (const { headers } of [diff, patch]) assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
});

test('web addresses need the permissions of the merge request', async () => {
  const mr = await newMergeRequest(project);
  for (const suffix of ['.diff', '.patch']) {
    const statuses = [planner, reporter, anonymous].map(async (by) => (await by.get(webPath(mr) + suffix)).status);
    assert.deepEqual(await Promise.all(statuses), [403, 200, 404]);
    assert.equal((await owner.get(webPath(mr).replace(/\d+$/, '0') + suffix)).status, 404);
  }
});

test('the web address of a moved project redirects to the new one', async () => {
  const group = await newGroup({ owner });
  const moved = await newProject({ owner, readme: true });
  const mr = await newMergeRequest(moved);
  await expectSuccess(root.post(`/groups/${group.id}/projects/${moved.id}`));
  const { status, headers } = await owner.get(`${webPath(mr)}.patch`);
  const location = `/${group.full_path}/${moved.path}/-/merge_requests/${mr.iid}.patch`;
  assert.deepEqual([status, new URL(String(headers.location)).pathname], [301, location]);
});
