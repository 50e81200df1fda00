import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The pages of directories and files, rendered without a browser: foreign text is plain there.

const scene = await world({ project: { visibility: 'private', with: ['guest', 'developer'] } });
const { project, owner, developer, guest } = scene;
const PATH = project.path_with_namespace;

const render = (caller: Caller | null, address: string) => renderPage(scene, caller, address);

await expectSuccess(
  owner.post(`/projects/${project.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Add files',
    actions: [
      ['README.md', '# Stove\n<b>hot</b> #1\n'],
      ['README.txt', 'The other one'],
      ['docs/readme.rst', 'The *documentation*'],
      ['bin/readme.md', Buffer.from([0, 1, 2]).toString('base64'), 'base64'],
      ['src/main.ts', 'const a = 1;\nconst b = 2;\n'],
      ['flame.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
      ['data.bin', Buffer.from([0, 255]).toString('base64'), 'base64'],
      ['empty.txt', ''],
    ].map(([file_path, content, encoding = 'text']) => ({ action: 'create', file_path, content, encoding })),
  }),
);

const file = (path: string) => render(developer, `/${PATH}/-/blob/main/${path}`);

test('a project shows the README of its default branch, in Markdown rather than as text', async () => {
  const html = await render(developer, `/${PATH}`);
  assert.match(html, /<section class="readme" aria-label="README.md">/);
  assert.match(html, /# Stove\n&lt;b>hot&lt;\/b> #1/);
  assert.match(html, new RegExp(`href="/${PATH}/-/blob/main/README.md">README.md</a></p>`));
  assert.doesNotMatch(html, /The other one/);
  assert.doesNotMatch(await render(guest, `/${PATH}`), /class="readme"|hot/);
});

test('directories show their own README, if it is text', async () => {
  assert.match(await render(developer, `/${PATH}/-/tree/main/docs`), /The \*documentation\*/);
  for (const path of ['src', 'bin'])
    assert.doesNotMatch(await render(developer, `/${PATH}/-/tree/main/${path}`), /class="readme"/, path);
});

test('Markdown is formatted, and shown as it is written on request', async () => {
  const address = `/${PATH}/-/blob/main/README.md`;
  const [formatted, source] = [await render(developer, address), await render(developer, `${address}?plain=1`)];
  assert.match(formatted, new RegExp(`href="${address}\\?plain=1">Source</a>`));
  assert.doesNotMatch(formatted, /id="L1"/);
  assert.match(source, new RegExp(`href="${address}">Formatted</a>`));
  assert.equal(source.match(/id="L\d+"/g)?.length, 2);
  assert.doesNotMatch(await file('src/main.ts'), /Source|Formatted/);
});

test('images are shown from their raw address', async () => {
  assert.match(
    await file('flame.svg'),
    new RegExp(`<img class="file-image" src="/${PATH}/-/raw/main/flame.svg" alt="flame.svg"/>`),
  );
  assert.doesNotMatch(await file('flame.svg'), /<script|<svg/);
});

test('other content is offered as raw file and as download', async () => {
  assert.match(await file('data.bin'), /This file is not text\./);
  assert.match(await file('empty.txt'), /This file is empty\./);
  assert.match(await file('data.bin'), new RegExp(`href="/${PATH}/-/raw/main/data.bin\\?inline=false">Download</a>`));
});

test('blame shows the commit of each group of lines, and leads to the lines before it', async () => {
  const { body: first } = await expectSuccess(owner.get(`/projects/${project.id}/repository/commits/main`));
  const { body: second } = await expectSuccess(
    owner.post(`/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Use <b> for b\n\nIn detail',
      actions: [{ action: 'update', file_path: 'src/main.ts', content: 'const a = 1;\nconst b = 3;\nconst c = 4;\n' }],
    }),
  );
  const html = await render(developer, `/${PATH}/-/blame/main/src/main.ts`);
  const rows = [...html.matchAll(/<tr class="blame-group"><td class="blame-commit">(.*?)<\/tr>/gs)].map(
    ([, row = '']) => row,
  );
  assert.equal(rows.length, 2);
  assert.match(rows[0]!, new RegExp(`href="/${PATH}/-/commit/${first.id}" title="Add files">Add files</a>`));
  assert.match(rows[0]!, /<pre>1<\/pre>.*<pre>const a = 1;<\/pre>/);
  assert.match(rows[1]!, new RegExp(`href="/${PATH}/-/commit/${second.id}" .*>Use &lt;b> for b</a>`));
  assert.match(rows[1]!, /<pre>2\n3<\/pre>.*<pre>const b = 3;\nconst c = 4;<\/pre>/);
  assert.match(rows[1]!, new RegExp(`href="/${PATH}/-/blame/${first.id}/src/main.ts"`));
  assert.match(await render(developer, `/${PATH}/-/blame/main/empty.txt`), /This file is empty\./);
  assert.match(await file('src/main.ts'), new RegExp(`href="/${PATH}/-/blame/main/src/main.ts">Blame</a>`));
});
