import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Caller, type Group, type Project, world } from '#test/support/world.ts';

// Access to wikis with a real git client.

const { newProject, newGroup, user, anonymous, server } = await world();

const cloneDirectory = await mkdtemp(join(tmpdir(), 'hearth-wikis-'));
after(() => rm(cloneDirectory, { recursive: true, force: true }));

function git(directory: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', HOME: cloneDirectory };
  const identity = ['-c', 'user.name=Push', '-c', 'user.email=push@hearth.test', '-c', 'init.defaultBranch=main'];
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd: join(cloneDirectory, directory), env }, (error, out, output) =>
      resolve({ ok: error === null, output: output + out }),
    );
  });
}

const remoteOf = (caller: Caller, path: string) =>
  `${server.address.replace('http://', `http://x:${caller.token}@`)}/${path}.wiki.git`;

let copies = 0;
async function copyWith(files: Readonly<Record<string, string>>): Promise<string> {
  const name = `copy-${copies++}`;
  await git('.', 'init', '-q', name);
  await commit(name, files);
  return name;
}

async function commit(copy: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await writeFile(join(cloneDirectory, copy, path), text);
  await git(copy, 'add', '.');
  await git(copy, 'commit', '-q', '-m', 'Write');
}

const listed = async ({ owner, at }: Project | Group) => (await owner.get(`${at}/wikis`)).body;
async function events({ owner, at }: Project): Promise<unknown[]> {
  const { body } = await owner.get(`${at}/events`, { target_type: 'wiki' });
  return body.map((event: Record<string, Record<string, unknown> | null>) => [
    event.action_name,
    event.target_title,
    event.wiki_page?.slug ?? null,
  ]);
}

test('the first push creates the wiki, its pages and events; a pushed rename keeps the page id', async () => {
  const project = await newProject();
  const { owner, path_with_namespace: path } = project;
  assert.match((await git('.', 'clone', '-q', remoteOf(owner, path))).output, /does not exist yet|not found/);
  const copy = await copyWith({ 'home.md': 'Welcome to all of you', 'b-side.txt': 'b', 'a.png': 'no page' });
  const pushed = await git(copy, 'push', '-q', remoteOf(owner, path), 'HEAD:trunk');
  assert.ok(pushed.ok, pushed.output);
  const before = await listed(project);
  assert.deepEqual(
    before.map(({ slug }: { slug: string }) => slug),
    ['b-side', 'home'],
  );
  await git(copy, 'mv', 'home.md', 'start.md');
  await git(copy, 'rm', '-q', 'b-side.txt');
  await commit(copy, {});
  assert.ok((await git(copy, 'push', '-q', remoteOf(owner, path), 'HEAD:trunk')).ok);
  const [start] = await listed(project);
  assert.deepEqual([start.slug, start.wiki_page_meta_id], ['start', before[1].wiki_page_meta_id]);
  assert.deepEqual((await events(project)).sort(), [
    ['created', 'b side', null],
    ['created', 'start', 'start'],
    ['destroyed', 'b side', null],
    ['updated', 'start', 'start'],
  ]);
});

test('clones contain API writes, force pushes are accepted, and the default branch cannot be deleted', async () => {
  const group = await newGroup();
  const { owner } = group;
  await owner.post(`${group.at}/wikis`, { title: 'a/b', content: 'text' });
  const remote = remoteOf(owner, group.full_path);
  assert.ok((await git('.', 'clone', '-q', remote, 'clone')).ok);
  assert.match((await git('clone', 'log', '--format=%an %s')).output, /created page: b/);
  await git('clone', 'commit', '-q', '--amend', '-m', 'Other');
  assert.ok(!(await git('clone', 'push', '-q')).ok);
  assert.ok((await git('clone', 'push', '-q', '--force')).ok);
  assert.match(
    (await git('clone', 'push', '-q', 'origin', ':main')).output,
    /default branch of a wiki cannot be deleted/,
  );
});

test('a version is a commit id, even if a branch or tag has the same name', async () => {
  const project = await newProject();
  const { owner, at } = project;
  await owner.post(`${at}/wikis`, { title: 'a', content: 'text' });
  const remote = remoteOf(owner, project.path_with_namespace);
  await git('.', 'clone', '-q', remote, 'named');
  const pushed = await git('named', 'push', '-q', remote, 'HEAD:refs/heads/deadbeef', 'HEAD:refs/tags/abcdef1');
  assert.ok(pushed.ok, pushed.output);
  const commit = (await git('named', 'rev-parse', 'HEAD')).output.trim();
  const statusAt = async (version: string) => (await owner.get(`${at}/wikis/a`, { version })).status;
  assert.deepEqual(
    await Promise.all([commit, commit.toUpperCase(), commit.slice(0, 8), 'deadbeef', 'abcdef1'].map(statusAt)),
    [200, 200, 200, 404, 404],
  );
});

/** Returns the response to the ref request of a git client. */
async function requestRefs({ token }: Caller, path: string, service: 'upload' | 'receive'): Promise<string> {
  const headers: Record<string, string> =
    token === null ? {} : { Authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` };
  const url = `//${path}.wiki.git/info/refs?service=git-${service}-pack`;
  const { status, text } = await anonymous.send('GET', url, { headers });
  return status === 200 ? '200' : `${status} ${text}`;
}

test('callers without access get the error messages of wikis', async () => {
  const project = await newProject({ with: ['guest', 'planner', 'reporter'] });
  const group = await newGroup({ visibility: 'public' });
  const stranger = await user();
  const path = project.path_with_namespace;
  const missing = "404 The project you were looking for could not be found or you don't have permission to view it.";
  const none = (of: string) => `404 A repository for this ${of} does not exist yet.`;
  const noFetch = '403 You are not allowed to download files from this wiki.';
  const noPush = (of: string) => `403 You are not allowed to write to this ${of}'s wiki.`;
  const cases: [Caller, string, string, string][] = [
    [project.guest, path, noFetch, noPush('project')],
    [project.planner, path, none('wiki'), '200'],
    [project.reporter, path, none('wiki'), noPush('project')],
    [stranger, path, missing, missing],
    [anonymous, path, '401 HTTP Basic: Access denied', '401 HTTP Basic: Access denied'],
    [stranger, group.full_path, none('group wiki'), noPush('group')],
    [
      stranger,
      'no-such-group',
      '404 The group you were looking for could not be found.',
      '404 The group you were looking for could not be found.',
    ],
  ];
  for (const [caller, at, fetched, pushed] of cases) {
    assert.deepEqual(
      [await requestRefs(caller, at, 'upload'), await requestRefs(caller, at, 'receive')],
      [fetched, pushed],
      at,
    );
  }
  await project.owner.put(project.at, { wiki_access_level: 'disabled' });
  assert.deepEqual(await requestRefs(project.owner, path, 'receive'), noPush('project'));
});

test('a page whose file name is not UTF-8 is listed under a replacement name', async () => {
  const project = await newProject();
  const copy = await copyWith({ 'home.md': 'h' });
  const name = Buffer.concat([Buffer.from(join(cloneDirectory, copy, 'bad')), Buffer.from('\xc3(.md', 'latin1')]);
  await writeFile(name, 'broken');
  await commit(copy, {});
  const pushed = await git(copy, 'push', '-q', remoteOf(project.owner, project.path_with_namespace), 'HEAD:main');
  assert.ok(pushed.ok, pushed.output);
  const { text } = await project.owner.get(`${project.at}/wikis`);
  assert.ok(!text.includes('\\ud'), text);
  const [page] = JSON.parse(text);
  assert.deepEqual([page.slug, page.title, typeof page.wiki_page_meta_id], ['bad\ufffd(', 'bad\ufffd(', 'number']);
  const url = `${project.at}/wikis/${encodeURIComponent(page.slug)}`;
  assert.equal((await project.owner.get(url)).body.content, 'broken');
  assert.equal((await project.owner.put(url, { content: 'mended' })).body.content, 'mended');
  assert.deepEqual((await events(project)).slice(-2), [
    ['created', 'home', 'home'],
    ['created', 'bad\ufffd(', 'bad\ufffd('],
  ]);
  assert.equal((await project.owner.delete(url)).status, 204);
  assert.deepEqual(
    (await listed(project)).map(({ slug }: { slug: string }) => slug),
    ['home'],
  );
});

test('an update of the front matter alone rejects a page that is too large to be read whole', async () => {
  const project = await newProject();
  const { owner, at, path_with_namespace: path } = project;
  const copy = await copyWith({ 'home.md': `${'x'.repeat(1023)}\n`.repeat(10 * 1024 + 1) });
  assert.ok((await git(copy, 'push', '-q', remoteOf(owner, path), 'HEAD:main')).ok);
  const { status, body } = await owner.put(`${at}/wikis/home`, { format: 'markdown', front_matter: { title: 'Home' } });
  assert.deepEqual(
    [status, body],
    [400, { message: { content: ['is too long (10 MB). The maximum size is 10 MB.'] } }],
  );
  const renamed = await owner.put(`${at}/wikis/home`, { title: 'start' });
  assert.equal(renamed.status, 200);
  const clone = `clone-${copies++}`;
  await git('.', 'clone', '-q', remoteOf(owner, path), clone);
  assert.equal((await stat(join(cloneDirectory, clone, 'start.md'))).size, 10 * 1024 * 1024 + 1024);
});
