import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { ADDRESSES } from '#web/addresses.ts';

// Each page of the web application, rendered without a browser for callers with different roles.

const scene = await world({ project: { visibility: 'private', with: ['guest', 'developer'] } });
const { project, owner, developer, guest, root, anonymous, user } = scene;
const stranger = await user();

const render = (caller: Caller | null, address: string) => renderPage(scene, caller, address);

/** Returns the text of HTML without its tags. */
const toText = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

test('each page has one heading and shows no missing value, whoever looks', async () => {
  for (const { path } of Object.values(ADDRESSES)) {
    for (const caller of [root, owner, developer, guest, stranger, null]) {
      const html = await render(caller, path);
      const who = `${path} ${caller?.username ?? 'anonymous'}`;
      assert.equal(html.match(/<h1\b/g)?.length, 1, who);
      assert.doesNotMatch(toText(html), /undefined|null|NaN|\[object/, who);
    }
  }
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
  assert.match(text, /To-do items \d+ .*Issues 1 .*The grate is too hot/);
  assert.match(text, new RegExp(`${project.path_with_namespace}#${issue.iid}`));
  assert.doesNotMatch(toText(await render(guest, '/')), /The grate is too hot/);
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

test('the error of the server stands in place of a page that cannot be read', async () => {
  const html = await render(scene.withToken(stranger, 'glpat-unknown'), '/explore').catch(String);
  assert.match(html, /401/);
  assert.equal((await anonymous.get('/projects')).status, 200);
});
