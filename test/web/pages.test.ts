import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { listAddresses, renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createPageValues } from './page-values.ts';

// Each page of the web application, rendered without a browser for callers with different roles.

const scene = await world({ project: { visibility: 'private', with: ['guest', 'developer'] } });
const { project, owner, developer, guest, root, anonymous, user } = scene;
const stranger = await user();

const render = (caller: Caller | null, address: string) => renderPage(scene, caller, address);

/** Returns the text of HTML without its tags. */
const toText = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const PATH = project.path_with_namespace;

const post = async (path: string, body: object) => (await expectSuccess(owner.post(path, { ...body }))).body;
const ADDRESSES_HERE = listAddresses(await createPageValues(post, PATH));
const branch = { branch: 'fix/grate', start_branch: 'main', commit_message: 'Add a file' };
await post(`/projects/${project.id}/repository/files/${encodeURIComponent('src/a b#c.ts')}`, {
  ...branch,
  content: 'one\ntwo\nthree',
});

test('each page has one heading and shows no missing value, whoever looks', async () => {
  for (const [name, address] of ADDRESSES_HERE) {
    for (const caller of [root, owner, developer, guest, stranger, null]) {
      const html = await render(caller, address);
      const who = `${name} ${caller?.username ?? 'anonymous'}`;
      assert.equal(html.match(/<h1\b/g)?.length, 1, who);
      assert.doesNotMatch(toText(html), /undefined|null|NaN|\[object/, who);
    }
  }
});

/** The calls after which a page is shown first; that of the user of the session is one of them. */
const MAX_FIRST_CALLS = 6;

test('each page is shown after at most six calls', async () => {
  for (const [name, address] of ADDRESSES_HERE) {
    const calls: string[] = [];
    const html = await renderPage(scene, owner, address, ({ url }) => calls.push(url), false);
    assert.ok(calls.length <= MAX_FIRST_CALLS, `${name} makes ${calls.length} calls: ${calls.join(', ')}`);
    assert.equal(html.match(/<h1\b/g)?.length, 1, name);
    assert.doesNotMatch(toText(html), /undefined|null|NaN|\[object/, name);
  }
});

test('a private project looks like a missing one to strangers', async () => {
  for (const [name, address] of ADDRESSES_HERE) {
    if (!address.startsWith(`/${PATH}`)) continue;
    const missing = address.replace(PATH, 'no-group/no-project');
    for (const caller of [stranger, null])
      assert.equal(hideRequestId(await render(caller, address)), hideRequestId(await render(caller, missing)), name);
  }
});

const hideRequestId = (html: string): string => html.replace(/<code>[\w-]{36}<\/code>/, '');

test('guests see a private project, but not its files', async () => {
  assert.match(toText(await render(guest, `/${PATH}`)), /git clone http/);
  assert.doesNotMatch(await render(guest, `/${PATH}`), /README/);
  for (const page of ['tree/main', 'blob/main/README.md', 'commits/main', 'branches', 'tags'])
    assert.match(toText(await render(guest, `/${PATH}/-/${page}`)), /You are not allowed|does not exist/, page);
});

test('a project shows the files of its default branch', async () => {
  const html = await render(developer, `/${PATH}`);
  assert.match(html, new RegExp(`href="/${PATH}/-/blob/main/README.md">README.md</a>`));
});

test('a branch with a slash is found, in directories and files', async () => {
  const html = await render(developer, `/${PATH}/-/tree/fix/grate/src`);
  assert.match(html, new RegExp(`href="/${PATH}/-/blob/fix/grate/src/a%20b%23c.ts">a b#c.ts</a>`));
  const file = await render(developer, `/${PATH}/-/blob/fix/grate/src/a%20b%23c.ts`);
  assert.match(toText(file), /one two three/);
  assert.equal(file.match(/id="L\d+"/g)?.length, 3);
  assert.match(file, new RegExp(`href="/${PATH}/-/raw/fix/grate/src/a%20b%23c.ts"`));
});

test('the content of a file is text, not HTML', async () => {
  assert.match(await render(developer, `/${PATH}/-/blob/main/README.md`), /&lt;b>hot&lt;\/b>/);
});

test('lists commits, branches and tags', async () => {
  assert.match(toText(await render(developer, `/${PATH}/-/commits/main`)), /Commits of main .*Add README/);
  assert.match(toText(await render(developer, `/${PATH}/-/branches`)), /fix\/grate .*main +default/);
  assert.match(toText(await render(developer, `/${PATH}/-/tags`)), /v1\.0/);
});

test('an empty repository shows how to push the first files', async () => {
  const empty = await expectSuccess(owner.post('/projects', { name: scene.name('empty') }));
  const address = `/${empty.body.path_with_namespace}`;
  assert.match(
    toText(await render(owner, address)),
    /git init git add \. git commit .*git remote add origin http\S+ git branch -M main git push -u origin main/,
  );
  assert.match(toText(await render(owner, `${address}/-/branches`)), /No branches/);
});

test('the list of projects shows those that the caller can see', async () => {
  const name = new RegExp(`${project.path}\\b`);
  for (const caller of [root, owner, developer, guest]) assert.match(await render(caller, '/explore'), name);
  for (const caller of [stranger, null]) assert.doesNotMatch(await render(caller, '/explore'), name);
});

test('the list of projects is searched, ordered and divided into pages', async () => {
  const prefix = scene.name('kiln');
  for (const suffix of ['a', 'b', 'c']) await expectSuccess(owner.post('/projects', { name: `${prefix}-${suffix}` }));
  const html = await render(owner, `/explore?search=${prefix}&order_by=name`);
  assert.match(toText(html), /3 projects/);
  assert.deepEqual(
    [...html.matchAll(new RegExp(`${prefix}-([abc])</a>`, 'g'))].map(([, suffix]) => suffix),
    ['a', 'b', 'c'],
  );
  assert.match(toText(await render(owner, `/explore?search=${prefix}-nothing`)), /No projects .* curl --request POST/);
});

test('the home page shows what waits for a user', async () => {
  const issues = `/projects/${project.id}/issues`;
  const { body: issue } = await expectSuccess(
    owner.post(issues, { title: 'The grate is too hot', assignee_ids: [developer.id] }),
  );
  await expectSuccess(developer.post(`${issues}/${issue.iid}/todo`));
  const text = toText(await render(developer, '/'));
  assert.match(text, /To-do items \d+ .*Done .*Issues 1 .*The grate is too hot .*Activity .*opened issue/);
  assert.match(text, new RegExp(`${project.path_with_namespace}#${issue.iid}`));
  assert.match(toText(await render(guest, '/')), /Issues 0 No open issue is assigned to you/);
});

test('the home page of visitors shows public projects only', async () => {
  const {
    body: { path },
  } = await expectSuccess(owner.post('/projects', { name: scene.name('open'), visibility: 'public' }));
  const text = toText(await render(null, '/'));
  assert.match(text, /Sign in to see your own work/);
  assert.match(text, new RegExp(path));
  assert.doesNotMatch(text, new RegExp(`${project.path}\\b`));
});

test('names are text, not HTML', async () => {
  const description = '<img src=x onerror=alert(1)> & "quotes"';
  const {
    body: { name },
  } = await expectSuccess(owner.post('/projects', { name: scene.name('safe'), description, visibility: 'public' }));
  const html = await render(null, `/explore?search=${name}`);
  assert.match(html, /&lt;img src=x onerror=alert\(1\)> &amp; &quot;quotes&quot;/);
  assert.doesNotMatch(html, /<img src=x/);
});

test('a page that cannot be read shows the error of the server', async () => {
  const html = await render(scene.withToken(stranger, 'glpat-unknown'), '/explore').catch(String);
  assert.match(html, /401/);
  assert.equal((await anonymous.get('/projects')).status, 200);
});
