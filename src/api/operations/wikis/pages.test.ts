import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Project, world } from '#test/support/world.ts';

// Wiki pages: names, creation, update, deletion.

const { newProject, root, server } = await world();

interface Page {
  readonly slug: string;
  readonly wiki_page_meta_id: number;
}

const write = ({ owner, at }: Project, title: string, more: object = {}) =>
  owner.post(`${at}/wikis`, { title, content: 'text', ...more });
const slugs = async ({ owner, at }: Project) => (await owner.get(`${at}/wikis`)).body.map(({ slug }: Page) => slug);
const urlOf = ({ at }: Project, slug: string) => `${at}/wikis/${encodeURIComponent(slug)}`;

test('a page can be created, read ignoring case, and listed by path', async () => {
  const project = await newProject();
  const { owner, at } = project;
  assert.deepEqual((await owner.get(`${at}/wikis`)).body, []);
  const created = await owner.post(`${at}/wikis`, { title: ' guides / First   steps ', content: '# Hello' });
  const page = { format: 'markdown', slug: 'guides/First-steps', title: 'First steps' };
  const { wiki_page_meta_id } = created.body;
  const whole = { ...page, wiki_page_meta_id, content: '# Hello', encoding: 'UTF-8', front_matter: {} };
  assert.deepEqual([created.status, created.body], [201, whole]);
  for (const slug of ['guides/First-steps', 'GUIDES/first steps']) {
    assert.deepEqual((await owner.get(urlOf(project, slug))).body, whole);
  }
  await write(project, 'about', { content: '', format: 'org' });
  const listed = (await owner.get(`${at}/wikis`)).body;
  assert.deepEqual(listed[1], { ...page, wiki_page_meta_id });
  assert.deepEqual([listed.length, listed[0].slug, listed[0].format], [2, 'about', 'org']);
  assert.deepEqual((await owner.get(`${at}/wikis`, { with_content: true })).body[1], whole);
  const missing = await owner.get(urlOf(project, 'guides'));
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Wiki Page Not Found' }]);
});

test('converts a title to a path inside the wiki, or rejects it', async () => {
  const project = await newProject();
  const long = 'x'.repeat(256);
  const inside = { '../../a/./b/../c d': 'a/c-d', '/top': 'top', [`d/${'x'.repeat(245)}`]: `d/${'x'.repeat(245)}` };
  for (const [title, slug] of Object.entries(inside)) {
    const { status, body } = await write(project, title);
    assert.deepEqual([status, body.slug], [201, slug]);
  }
  const wrong = [
    [' / . ', ["can't be blank"]],
    ['x'.repeat(246), ['exceeds the limit of 245 bytes']],
    [`${long}/a`, [`exceeds the limit of 255 bytes for directory name "${long}"`]],
    ['Git_Access', ["'Git_Access' is a reserved name"]],
    ['-', ["'-' is a reserved name"]],
    ['.git/x', ['is invalid']],
  ] as const;
  for (const [title, texts] of wrong) {
    const { status, body } = await write(project, title);
    assert.deepEqual([status, body], [400, { message: { title: texts } }], title);
  }
  const { body } = await project.owner.post(`${project.at}/wikis`, {});
  assert.deepEqual(body, { error: 'title is missing, content is missing' });
});

test('an empty title does not rename a page to its folder', async () => {
  const project = await newProject();
  await write(project, 'guides/steps');
  for (const title of ['', '  ', '.', '..']) {
    const { status, body } = await project.owner.put(urlOf(project, 'guides/steps'), { title, content: 'new' });
    assert.deepEqual([status, body], [400, { message: { title: ["can't be blank"] } }], title);
  }
  assert.deepEqual(await slugs(project), ['guides/steps']);
});

test('rejects a second page with the same name in any case and format', async () => {
  const project = await newProject();
  await write(project, 'A/first steps');
  const { status, body } = await write(project, 'a/First-Steps', { format: 'rdoc' });
  const base = ['Duplicate page: A page with that title already exists in the file A/first-steps.md'];
  assert.deepEqual([status, body], [400, { message: { base } }]);
  await write(project, 'other');
  const renamed = await project.owner.put(urlOf(project, 'other'), { title: 'A/FIRST steps' });
  const same = { base: ['There is already a page with the same title in that path.'] };
  assert.deepEqual([renamed.status, renamed.body], [400, { message: same }]);
});

test('a renamed page keeps its id, and pages below it move along', async () => {
  const project = await newProject();
  const { owner } = project;
  const { wiki_page_meta_id: id } = (await write(project, 'guides/steps', { format: 'asciidoc' })).body;
  const { wiki_page_meta_id: below } = (await write(project, 'guides/steps/deep/one')).body;
  const moved = await owner.put(urlOf(project, 'guides/Steps'), { title: 'All steps', content: 'new' });
  assert.deepEqual([moved.status, moved.body.slug, moved.body.format], [200, 'guides/All-steps', 'asciidoc']);
  assert.deepEqual(await slugs(project), ['guides/All-steps', 'guides/All-steps/deep/one']);
  assert.equal(moved.body.wiki_page_meta_id, id);
  assert.equal((await owner.get(urlOf(project, 'guides/All-steps/deep/one'))).body.wiki_page_meta_id, below);
  await owner.put(urlOf(project, 'guides/all-steps'), { title: '/Top', format: 'markdown' });
  const { body } = await owner.get(urlOf(project, 'Top'));
  assert.deepEqual([body.content, body.format, body.wiki_page_meta_id], ['new', 'markdown', id]);
  assert.equal((await owner.get(urlOf(project, 'guides/steps'))).status, 404);
  const { body: none } = await owner.put(urlOf(project, 'Top'), {});
  assert.deepEqual(none, { error: 'content, title, format are missing, at least one parameter must be provided' });
});

test('rejects an update with an old last_commit_sha, and returns old versions by commit', async () => {
  const project = await newProject();
  const { owner, at } = project;
  await write(project, 'a', { message: 'First' });
  const last = async () => (await owner.get(`${at}/events`)).body.length;
  assert.ok((await last()) > 0);
  const stale = await owner.put(urlOf(project, 'a'), { content: 'b', last_commit_sha: '1'.repeat(40) });
  assert.deepEqual([stale.status, stale.body], [400, { message: { base: ['The page was changed meanwhile'] } }]);
  assert.equal((await owner.get(urlOf(project, 'a'), { version: 'main' })).status, 404);
  assert.equal((await owner.get(urlOf(project, 'a'), { version: '1'.repeat(40) })).status, 404);
});

test('concurrent writes all succeed', async () => {
  const project = await newProject();
  const titles = ['a', 'b', 'c', 'd', 'e'];
  const created = await Promise.all([...titles, 'A'].map((title) => write(project, title)));
  assert.deepEqual(created.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 400]);
  assert.deepEqual((await slugs(project)).map((slug: string) => slug.toLowerCase()).sort(), titles);
});

test('parses the YAML mapping at the start of a page as front matter, unless it is too complex', async () => {
  const project = await newProject();
  const { owner } = project;
  const { body } = await write(project, 'a', { content: '---\nold: 1\n---\ntext', front_matter: { title: 'T: x' } });
  assert.deepEqual([body.content, body.front_matter], ['---\ntitle: "T: x"\n---\ntext', { title: 'T: x' }]);
  const texts: [string, object][] = [
    ['---\na: [1, x, {b: true}]\n---\n', { a: [1, 'x', { b: true }] }],
    ['---\na: &x [1]\nb: *x\n---\n', {}],
    ['---\n- a\n---\n', {}],
    ['---\na: [\n---\n', {}],
    [`---\na: ${'['.repeat(10_000)}\n---\n`, {}],
    [`---\na: ${'x'.repeat(25_510)}\n---\n`, {}],
    ['---\na: 1\n', {}],
  ];
  for (const [content, matter] of texts) {
    const put = await owner.put(urlOf(project, 'a'), { content });
    assert.deepEqual(put.body.front_matter, matter, content.slice(0, 40));
  }
});

test('deletes a page, and rejects content over the limit', async () => {
  const project = await newProject();
  await write(project, 'a');
  const response = await project.owner.delete(urlOf(project, 'A'));
  assert.deepEqual([response.status, await slugs(project)], [204, []]);
  assert.equal((await project.owner.delete(urlOf(project, 'a'))).status, 404);
  await root.put('/application/settings', { wiki_page_max_content_bytes: 1024 });
  const { status, body } = await write(project, 'b', { content: 'x'.repeat(1500) });
  await root.put('/application/settings', { wiki_page_max_content_bytes: 5_242_880 });
  const content = ['is too long (1.46 KB). The maximum size is 1 KB.'];
  assert.deepEqual([status, body], [400, { message: { content } }]);
});

test('returns 422 and keeps the page if the storage fails', async () => {
  const project = await newProject();
  await write(project, 'a');
  const { config, database } = server.services;
  const { storage, disk_path } = await database.reader
    .selectFrom('wikis')
    .select(['storage', 'disk_path'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const objects = join(config.storages[storage]!.path, disk_path, 'objects');
  const names = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'));
  // Files take the place of the object directories.
  await Promise.all(names.map((name) => writeFile(join(objects, name), '').catch(() => undefined)));
  const answer = await project.owner.delete(urlOf(project, 'a'));
  assert.deepEqual([answer.status, answer.body], [422, { message: '422 Unprocessable Entity' }]);
  assert.deepEqual(await slugs(project), ['a']);
});
