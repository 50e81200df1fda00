import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Commits and comparisons of the web application: what they show to which callers.

const scene = await world({ project: { visibility: 'public', with: ['developer', 'reporter'] } });
const { project, owner, developer, reporter } = scene;
const PATH = project.path_with_namespace;
const COMMITS = `/projects/${project.id}/repository/commits`;

const render = (caller: Caller | null, page: string) => renderPage(scene, caller, `/${PATH}/-/${page}`);

const toText = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);

await expectSuccess(
  owner.post(COMMITS, {
    branch: 'main',
    commit_message: 'Add files',
    actions: [
      { action: 'create', file_path: 'docs/a b.md', content: `${lines.join('\n')}\n` },
      { action: 'create', file_path: 'old.txt', content: 'one\ntwo\nthree\n' },
      { action: 'create', file_path: 'gone.txt', content: 'x\n' },
      { action: 'create', file_path: 'run.sh', content: 'x\n' },
      { action: 'create', file_path: 'stove.bin', content: 'AAAA', encoding: 'base64' },
    ],
  }),
);
const { body: commit } = await expectSuccess(
  owner.post(COMMITS, {
    branch: 'fix/heat',
    start_branch: 'main',
    commit_message: 'Heat <b>more\n\nIt was cold.\n\nIt is warm.',
    actions: [
      { action: 'update', file_path: 'docs/a b.md', content: `${lines.with(4, '<i>five</i>').join('\n')}\n31` },
      { action: 'move', file_path: 'new.txt', previous_path: 'old.txt' },
      { action: 'delete', file_path: 'gone.txt' },
      { action: 'chmod', file_path: 'run.sh', execute_filemode: true },
      { action: 'update', file_path: 'stove.bin', content: 'AAAB', encoding: 'base64' },
      { action: 'create', file_path: 'empty.txt', content: '' },
    ],
  }),
);

test('a commit shows its message, author, parents, refs and a link to its patch', async () => {
  const html = await render(null, `commit/${commit.id}`);
  const text = toText(html);
  assert.match(html, /<h1[^>]*>Heat &lt;b>more<\/h1>/);
  assert.match(html, /It was cold\.\n\nIt is warm\.<\/pre>/);
  assert.match(text, new RegExp(`Author ${commit.author_name} .*Commit ${commit.id} .*Parent `));
  assert.ok(html.includes(`href="/${PATH}/-/commit/${commit.parent_ids[0]}"`));
  assert.match(html, new RegExp(`href="/${PATH}/-/tree/fix/heat">fix/heat</a>`));
  const patch = /href="\/([^"]+\.patch)" download/.exec(html)![1]!;
  assert.match((await scene.anonymous.get(`//${patch}`)).text, /Subject: \[PATCH\] Heat <b>more/);
});

test('changed lines have their signs and numbers, as text', async () => {
  const html = await render(null, `commit/${commit.id}`);
  assert.match(toText(html), /6 changed files, \+2 added lines −2 removed lines/);
  const id = 'diff-docs%2Fa%20b.md';
  const rows = [...html.matchAll(new RegExp(`<tr id="${id}_(\\d*_\\d*)" class="diff-(\\w+)">(.*?)</tr>`, 'g'))];
  assert.deepEqual(
    rows.slice(2, 6).map(([, key, kind, row]) => [key, kind, toText(row!).trim()]),
    [
      ['4_4', 'context', '4 4 line 4'],
      ['5_', 'removed', '5 -line 5'],
      ['_5', 'added', '5 +&lt;i>five&lt;/i>'],
      ['6_6', 'context', '6 6 line 6'],
    ],
  );
  assert.match(html, /@@ -2,7 \+2,7 @@/);
  assert.match(html, /No newline at end of file/);
  assert.match(html, new RegExp(`href="/${PATH}/-/blob/${commit.id}/docs/a%20b.md">View file`));
});

test('shows that a file is new, deleted or renamed, or has another mode', async () => {
  const text = toText(await render(null, `commit/${commit.id}`));
  for (const words of [
    'empty.txt new View file The file is empty.',
    'gone.txt deleted +0 added lines −1 removed lines',
    'old.txt → new.txt renamed View file The file was renamed without other changes.',
    'run.sh mode 100644 → 100755 View file No line has changed.',
    'stove.bin View file This file is not text.',
  ])
    assert.ok(text.includes(words), words);
});

test('the first commit has no parent, and a page of many files has a next one', async () => {
  const first = await scene.newProject({ visibility: 'public' });
  const actions = Array.from({ length: 101 }, (_, index) => ({
    action: 'create',
    file_path: `f${index}`,
    content: 'x',
  }));
  const { body } = await expectSuccess(
    first.owner.post(`/projects/${first.id}/repository/commits`, { branch: 'main', commit_message: 'Add', actions }),
  );
  const address = `/${first.path_with_namespace}/-/commit/${body.id}`;
  const html = await renderPage(scene, null, address);
  assert.match(toText(html), /Parents none .*100 changed files/);
  assert.ok(html.includes(`href="${address}?page=2"`));
  assert.match(toText(await renderPage(scene, null, `${address}?page=2`)), /1 changed file,/);
});

test('forms that apply a commit are offered to those who can push', async () => {
  for (const [caller, isOffered] of [
    [developer, true],
    [reporter, false],
    [null, false],
  ] as const) {
    const html = await render(caller, `commit/${commit.id}`);
    assert.equal(/<summary>Cherry-pick<\/summary>/.test(html), isOffered);
    assert.equal(/<summary>Revert<\/summary>/.test(html), isOffered);
  }
});

test('a comparison shows the commits and changes, and lets the reader choose other refs', async () => {
  const html = await render(null, 'compare/main...fix/heat');
  assert.match(toText(html), /1 commit Heat &lt;b>more .*Changes .*6 changed files/);
  assert.match(html, /<input[^>]* name="from"[^>]* value="main"|<input[^>]* value="main"[^>]* name="from"/);
  assert.match(html, /<option value="fix\/heat"/);
  assert.match(toText(await render(null, 'compare/fix/heat...main')), /fix\/heat has all commits of main/);
  assert.match(toText(await render(null, 'compare/main..fix/heat')), /6 changed files/);
  assert.match(toText(await render(null, 'compare/main...main')), /Both names are the same commit/);
});

test('a comparison with an unknown ref says so and keeps the form', async () => {
  for (const range of ['main...nothing', 'main...', 'main']) {
    const html = await render(null, `compare/${range}`);
    assert.match(html, /One of these branches, tags or commits does not exist/, range);
    assert.match(html, /name="from"/, range);
  }
});

test('the list of commits leads to each commit and to a comparison', async () => {
  const html = await render(null, 'commits/fix/heat');
  assert.ok(html.includes(`href="/${PATH}/-/commit/${commit.id}"`));
  assert.ok(html.includes(`href="/${PATH}/-/compare/main...fix/heat"`));
});
