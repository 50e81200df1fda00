import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The pages that change repositories: who sees which forms. The journeys in a browser submit them (journeys/code.ts).

const scene = await world({
  project: { visibility: 'private', with: ['guest', 'reporter', 'developer', 'maintainer'], readme: true },
});
const { project, owner, developer, maintainer, reporter, guest, user } = scene;
const stranger = await user();
const PATH = project.path_with_namespace;

/** Returns the text of the page that a caller sees. */
const readText = async (caller: Caller | null, address: string): Promise<string> =>
  (await renderPage(scene, caller, address)).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const post = async (path: string, body: object) => (await expectSuccess(owner.post(path, { ...body }))).body;
const repository = `/projects/${project.id}/repository`;
await post(`${repository}/files/${encodeURIComponent('src/a b.ts')}`, {
  branch: 'fix/door',
  start_branch: 'main',
  content: 'one\r\n<two>\r\n',
  commit_message: 'Add a file',
});
await post(`${repository}/tags`, { tag_name: 'v1', ref: 'main' });

test('the content of a file of a branch with a slash is edited', async () => {
  const html = await renderPage(scene, developer, `/${PATH}/-/edit/fix/door/src/a%20b.ts`);
  assert.match(html, /<h1[^>]*>Edit a b\.ts<\/h1>/);
  assert.match(html, /<textarea [^>]*spellcheck="false"[^>]*>one\n&lt;two>\n<\/textarea>/);
  assert.match(html, /Commit to <code>fix\/door<\/code>/);
});

test('who may not push to a protected branch commits to a new one', async () => {
  await expectSuccess(
    maintainer
      .post(`/projects/${project.id}/protected_branches`, { name: 'main' })
      .then((response) => (response.status === 409 ? { ...response, status: 200 } : response)),
  );
  for (const address of [`/${PATH}/-/edit/main/README.md`, `/${PATH}/-/new/main`]) {
    assert.match(await readText(developer, address), /You may not push to main , so the commit begins a new branch/);
    assert.match(await readText(maintainer, address), /Commit to main Commit to a new branch/);
  }
});

test('only callers who may push get the forms', async () => {
  for (const address of [`/${PATH}/-/edit/fix/door/src/a%20b.ts`, `/${PATH}/-/new/fix/door/src`]) {
    assert.match(await readText(reporter, address), /You may not change files of this project/);
    assert.match(await readText(guest, address), /You are not allowed to see this page/);
    for (const caller of [stranger, null]) assert.match(await readText(caller, address), /This page does not exist/);
  }
});

test('files of tags and commits are not edited', async () => {
  for (const page of ['edit/v1/README.md', 'new/v1'])
    assert.match(await readText(maintainer, `/${PATH}/-/${page}`), /v1 is no branch/);
});

test('a file that does not exist is not edited', async () => {
  assert.match(await readText(maintainer, `/${PATH}/-/edit/main/missing.md`), /This page does not exist/);
  assert.match(await readText(maintainer, `/${PATH}/-/new/missing/src`), /This page does not exist/);
});

test('the first file of an empty repository is written in the browser', async () => {
  const empty = await post('/projects', { name: scene.name('empty') });
  assert.match(await readText(owner, `/${empty.path_with_namespace}/-/new/main`), /Commit to main .*Upload a file/);
  const html = await renderPage(scene, owner, `/${empty.path_with_namespace}`);
  assert.match(html, new RegExp(`href="/${empty.path_with_namespace}/-/new/main"`));
});

test('an archived project offers no forms', async () => {
  const archived = await post('/projects', { name: scene.name('archived'), initialize_with_readme: true });
  await post(`/projects/${archived.id}/archive`, {});
  assert.match(await readText(owner, `/${archived.path_with_namespace}/-/new/main`), /You may not change files/);
});

test('the links to the forms are shown to callers who may push', async () => {
  const pages = [
    ['blob/fix/door/src/a%20b.ts', 'edit/fix/door/src/a%20b.ts'],
    ['tree/fix/door/src', 'new/fix/door/src'],
  ];
  for (const [page, form] of pages) {
    const link = `href="/${PATH}/-/${form}"`;
    assert.ok((await renderPage(scene, developer, `/${PATH}/-/${page}`)).includes(link), form);
    assert.ok(!(await renderPage(scene, reporter, `/${PATH}/-/${page}`)).includes(link), form);
  }
  assert.ok((await renderPage(scene, developer, `/${PATH}`)).includes(`href="/${PATH}/-/new/main"`));
});

test('branches are created, protected and deleted by those who may', async () => {
  const address = `/${PATH}/-/branches`;
  const maintainers = await readText(maintainer, address);
  assert.match(maintainers, /New branch .*Delete merged branches/);
  assert.match(maintainers, /main .*Unprotect main/);
  assert.match(maintainers, /Protect fix\/door .*Delete fix\/door/);
  assert.doesNotMatch(maintainers, /Delete main/);
  const developers = await readText(developer, address);
  assert.match(developers, /New branch .*Delete fix\/door/);
  assert.doesNotMatch(developers, /rotect (main|fix)/);
  assert.doesNotMatch(await readText(reporter, address), /New branch|Delete/);
});

test('branches and tags are searched', async () => {
  const text = await readText(reporter, `/${PATH}/-/branches?search=door`);
  assert.match(text, /fix\/door/);
  assert.doesNotMatch(text, /default/);
  assert.match(await readText(reporter, `/${PATH}/-/tags?search=nothing`), /Nothing has this name/);
});

test('tags show their messages, and are created and deleted by those who may', async () => {
  await post(`${repository}/tags`, { tag_name: 'v2', ref: 'main', message: 'The second release' });
  const address = `/${PATH}/-/tags`;
  assert.match(await readText(developer, address), /New tag .*v2 .*The second release .*Delete v2/);
  await post(`/projects/${project.id}/protected_tags`, { name: 'v2' });
  assert.match(await readText(maintainer, address), /protected .*Delete v2/);
  const developers = await readText(developer, address);
  assert.match(developers, /Delete v1/);
  assert.doesNotMatch(developers, /Delete v2/);
  assert.doesNotMatch(await readText(reporter, address), /New tag|Delete/);
});
