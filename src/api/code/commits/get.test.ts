import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns a commit with all fields and timestamps in its own offset', async () => {
  const { project, owner } = await world({ project: {} });
  const first = await project.commit({ 'a.txt': 'one\n' }, { message: 'Title\n\nBody\n' });
  await project.point('refs/tags/v1', first);
  const { status, body } = await owner.get(`${project.repository}/commits/${first}`);
  assert.equal(status, 200);
  const { web_url, ...rest } = body;
  assert.ok(web_url.endsWith(`/${project.path_with_namespace}/-/commit/${first}`), web_url);
  assert.deepEqual(rest, {
    id: first,
    short_id: first.slice(0, 8),
    created_at: '2023-11-14T22:13:20.000+00:00',
    parent_ids: [],
    title: 'Title',
    message: 'Title\n\nBody\n',
    author_name: 'Jane Doe',
    author_email: 'jane@example.com',
    authored_date: '2023-11-14T22:13:20.000+00:00',
    committer_name: 'Jane Doe',
    committer_email: 'jane@example.com',
    committed_date: '2023-11-14T22:13:20.000+00:00',
    trailers: {},
    extended_trailers: {},
    stats: { additions: 1, deletions: 0, total: 1 },
    status: null,
    project_id: project.id,
    last_pipeline: null,
  });
});

test('finds a commit by any revision and returns 404 otherwise', async () => {
  const { project, owner } = await world({ project: {} });
  const first = await project.commit({ 'a.txt': 'one\n' });
  await project.point('refs/tags/v1', first);
  for (const name of ['main', 'v1', 'HEAD', first.slice(0, 7), 'refs%2Fheads%2Fmain']) {
    assert.equal((await owner.get(`${project.repository}/commits/${name}`)).body.id, first, name);
  }
  assert.equal('stats' in (await owner.get(`${project.repository}/commits/${first}`, { stats: false })).body, false);
  for (const name of ['nowhere', 'f'.repeat(40), '--all', 'main%3Aa.txt', 'main~1']) {
    const missing = await owner.get(`${project.repository}/commits/${name}`);
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Commit Not Found' }], name);
  }
});

test('compares the first commit with an empty tree', async () => {
  const { project, owner } = await world({ project: {} });
  const root = await project.commit({ 'a.txt': 'a\n', 'b.bin': Buffer.from([0, 1, 2]) });
  const same = { collapsed: false, too_large: false, generated_file: null };
  const created = await owner.get(`${project.repository}/commits/${root}/diff`);
  assert.deepEqual(created.body[0], {
    diff: '@@ -0,0 +1 @@\n+a\n',
    new_path: 'a.txt',
    old_path: 'a.txt',
    a_mode: '0',
    b_mode: '100644',
    new_file: true,
    renamed_file: false,
    deleted_file: false,
    ...same,
  });
  assert.match(created.body[1].diff, /^Binary files .* differ\n$/);
});

test('returns changes and renames of a later commit in pages', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'a\n', 'b.bin': Buffer.from([0, 1, 2]) });
  const second = await project.commit(
    { 'a.txt': 'b\n' },
    { changes: [{ action: 'move', from: 'b.bin', path: 'c.bin' }] },
  );
  const changed = await owner.get(`${project.repository}/commits/${second}/diff`, { unidiff: true });
  assert.equal(changed.body[0].diff, '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n');
  assert.deepEqual(
    [changed.body[1].renamed_file, changed.body[1].old_path, changed.body[1].new_path, changed.body[1].diff],
    [true, 'b.bin', 'c.bin', ''],
  );
  assert.equal(changed.headers['x-total'], '2');
  const page = await owner.get(`${project.repository}/commits/${second}/diff`, { per_page: 1, page: 2 });
  assert.equal(page.body[0].new_path, 'c.bin');
});

test('returns mode 0 as the new mode of a deleted file', async () => {
  const { project, owner } = await world({ project: {} });
  await project.commit({ 'a.txt': 'b\n' });
  const third = await project.commit({ 'a.txt': null });
  const [gone] = (await owner.get(`${project.repository}/commits/${third}/diff`)).body;
  assert.deepEqual(
    [gone.deleted_file, gone.a_mode, gone.b_mode, gone.diff],
    [true, '100644', '0', '@@ -1 +0,0 @@\n-b\n'],
  );
});

test('marks diffs over 200 KiB as too large and collapses files after 50,000 lines', async () => {
  const { project, owner } = await world({ project: {} });
  const lines = (count: number) => Array.from({ length: count }, (_, line) => `${line}\n`).join('');
  const large = await project.commit({ 'large.txt': 'x'.repeat(210 * 1024), 'small.txt': 'x\n' });
  const [first, second] = (await owner.get(`${project.repository}/commits/${large}/diff`)).body;
  assert.deepEqual([first.too_large, first.collapsed, first.diff], [true, false, '']);
  assert.deepEqual([second.too_large, second.diff], [false, '@@ -0,0 +1 @@\n+x\n']);
  const many = await project.commit({ '1': lines(24_000), '2': lines(24_000), '3': lines(24_000), '4': 'x' });
  const { body } = await owner.get(`${project.repository}/commits/${many}/diff`);
  assert.deepEqual(
    body.map((file: { collapsed: boolean; diff: string }) => [file.collapsed, file.diff === '']),
    [
      [false, false],
      [false, false],
      [true, true],
      [true, true],
    ],
  );
});

test('lists the refs that contain a commit', async () => {
  const { project, owner } = await world({ project: {} });
  const base = await project.commit({ a: 'a' });
  const tip = await project.commit({ a: 'b' });
  await project.point('refs/heads/old', base);
  await project.point('refs/tags/v1', base);
  const refs = async (id: string, params: object = {}) =>
    (await owner.get(`${project.repository}/commits/${id}/refs`, { ...params })).body;
  const main = { type: 'branch', name: 'main' };
  const old = { type: 'branch', name: 'old' };
  const tag = { type: 'tag', name: 'v1' };
  assert.deepEqual(await refs(base), [main, old, tag]);
  assert.deepEqual(await refs(base, { type: 'branch' }), [main, old]);
  assert.deepEqual(await refs(base, { type: 'tag' }), [tag]);
  assert.deepEqual(await refs(tip), [main]);
  assert.deepEqual(await refs(base, { per_page: 1, page: 2 }), [old]);
  const refused = await owner.get(`${project.repository}/commits/${base}/refs`, { type: 'branches' });
  assert.deepEqual(refused.body, { error: 'type does not have a valid value' });
});

test('returns an empty message and non-ASCII names to anonymous callers', async () => {
  const { project, anonymous } = await world({ project: { visibility: 'public' } });
  const id = await project.commit({ 'grüße/日本.txt': 'ü\n' }, { message: '' });
  const { body } = await anonymous.get(`${project.repository}/commits/${id}`);
  assert.deepEqual([body.title, body.message], ['No commit message', '']);
  assert.equal((await anonymous.get(`${project.repository}/commits/${id}/diff`)).body[0].new_path, 'grüße/日本.txt');
});

test('serves the web address of a commit as a diff and as a patch', async () => {
  const { project, owner, anonymous } = await world({ project: {} });
  const first = await project.commit({ 'a.txt': 'one\n' }, { message: 'First' });
  const second = await project.commit({ 'a.txt': 'two\n' }, { message: 'Second' });
  for (const [sha, subject, diff] of [
    [first, 'First', '@@ -0,0 +1 @@\n+one\n'],
    [second, 'Second', '@@ -1 +1 @@\n-one\n+two\n'],
  ] as const) {
    const path = `//${project.path_with_namespace}/-/commit/${sha}`;
    const { text, headers } = await owner.get(`${path}.diff`);
    assert.ok(text.startsWith('diff --git a/a.txt b/a.txt\n') && text.endsWith(diff), text);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    const patch = (await owner.get(`${path}.patch`)).text;
    assert.ok(patch.startsWith(`From ${sha} `) && patch.includes(`\nSubject: [PATCH] ${subject}\n`), patch);
    assert.ok(patch.includes(diff), patch);
    assert.equal((await anonymous.get(`${path}.patch`)).status, 404);
  }
  assert.equal((await owner.get(`//${project.path_with_namespace}/-/commit/${'1'.repeat(40)}.diff`)).status, 404);
});
