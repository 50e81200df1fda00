import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Caller, type Project, world } from '#test/support/world.ts';

// Access to snippets with a real git client.

const { newProject, user, server, anonymous } = await world();

const cloneDirectory = await mkdtemp(join(tmpdir(), 'hearth-snippets-'));
after(() => rm(cloneDirectory, { recursive: true, force: true }));

function git(directory: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', HOME: cloneDirectory };
  const identity = ['-c', 'user.name=Push', '-c', 'user.email=push@hearth.test'];
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd: join(cloneDirectory, directory), env }, (error, out, output) =>
      resolve({ ok: error === null, output: output + out }),
    );
  });
}

const remoteOf = (caller: Caller, path: string) =>
  caller.token
    ? `${server.address.replace('http://', `http://x:${caller.token}@`)}/${path}`
    : `${server.address}/${path}`;

let copies = 0;
async function clone(caller: Caller, path: string): Promise<string> {
  const name = `copy-${copies++}`;
  const cloned = await git('.', 'clone', '-q', remoteOf(caller, path), name);
  assert.ok(cloned.ok, cloned.output);
  return name;
}

async function commit(copy: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await writeFile(join(cloneDirectory, copy, path), text);
  await git(copy, 'add', '-A');
  await git(copy, 'commit', '-q', '-m', 'Write');
}

async function createSnippet({ owner, at, path_with_namespace }: Project, visibility = 'private') {
  const input = { title: 'a', content: 'a', file_name: 'a.txt', visibility };
  const { id } = (await owner.post(`${at}/snippets`, input)).body;
  return { id, at: `${at}/snippets/${id}`, git: `${path_with_namespace}/snippets/${id}.git` };
}

test('clones and pushes a project snippet; its files and time follow', async () => {
  const project = await newProject();
  const snippet = await createSnippet(project);
  const copy = await clone(project.owner, snippet.git);
  assert.equal(await readFile(join(cloneDirectory, copy, 'a.txt'), 'utf8'), 'a');
  assert.equal((await git(copy, 'log', '--format=%s')).output, 'Initial commit\n');
  await commit(copy, { 'a.txt': 'pushed', 'b.txt': 'b' });
  const pushed = await git(copy, 'push', '-q', 'origin', 'main');
  assert.ok(pushed.ok, pushed.output);
  const { body } = await project.owner.get(snippet.at);
  assert.deepEqual(
    body.files.map(({ path }: { path: string }) => path),
    ['a.txt', 'b.txt'],
  );
  assert.equal((await project.owner.get(`${snippet.at}/raw`)).text, 'pushed');
  assert.equal(
    (await project.owner.put(snippet.at, { files: [{ action: 'delete', file_path: 'a.txt' }] })).status,
    200,
  );
  await git(copy, 'pull', '-q', '--ff-only');
  assert.equal((await git(copy, 'log', '-1', '--format=%s')).output, 'Update snippet\n');
});

test('clones and pushes a personal snippet; strangers cannot', async () => {
  const [author, stranger] = [await user(), await user()];
  const { id } = (await author.post('/snippets', { title: 'a', content: 'a', visibility: 'internal' })).body;
  const copy = await clone(author, `snippets/${id}.git`);
  await commit(copy, { 'b.txt': 'b' });
  assert.ok((await git(copy, 'push', '-q')).ok);
  const other = await clone(stranger, `snippets/${id}.git`);
  await commit(other, { 'c.txt': 'c' });
  const refused = await git(other, 'push', '-q');
  assert.match(refused.output, /403|not allowed to update this snippet/);
  assert.equal((await git('.', 'clone', '-q', remoteOf(anonymous, `snippets/${id}.git`), 'none')).ok, false);
});

test('rejects other branches, their deletion, too many and no files', async () => {
  const project = await newProject();
  const snippet = await createSnippet(project);
  const copy = await clone(project.owner, snippet.git);
  const refusal = async (...refs: string[]) => (await git(copy, 'push', '-q', '-f', 'origin', ...refs)).output;
  assert.match(await refusal('HEAD:other'), /You can not create or delete branches\./);
  assert.match(await refusal(':main'), /You can not create or delete branches\./);
  await commit(copy, Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`f${number}`, 'x'])));
  assert.match(await refusal('main'), /The repository can contain at most 10 file\(s\)\./);
  await git(copy, 'rm', '-q', '-r', '.');
  await git(copy, 'commit', '-q', '-m', 'Empty');
  assert.match(await refusal('main'), /The repository must contain at least 1 file\./);
  assert.equal((await project.owner.get(`${snippet.at}/raw`)).text, 'a');
});

test('a path of another project, or without the project, names no snippet', async () => {
  const [project, other] = [await newProject(), await newProject()];
  const { id } = await createSnippet(project, 'public');
  for (const path of [`${other.path_with_namespace}/snippets/${id}.git`, `snippets/${id}.git`]) {
    const cloned = await git('.', 'clone', '-q', remoteOf(project.owner, path), 'none');
    assert.equal(cloned.ok, false, path);
  }
});

test('keeps other refs, at an address without .git, and says that push options have no effect', async () => {
  const project = await newProject();
  const snippet = await createSnippet(project);
  const copy = await clone(project.owner, snippet.git.replace(/\.git$/, ''));
  await git(copy, 'notes', 'add', '-m', 'a note');
  const pushed = await git(copy, 'push', '-o', 'mr.create', 'origin', 'refs/notes/commits');
  assert.ok(pushed.ok, pushed.output);
  assert.match(pushed.output, /WARNING: Push options have an effect in projects only/);
  assert.match((await git(copy, 'push', 'origin', 'HEAD:refs/keep-around/x')).output, /deny updating a hidden ref/);
  const { output } = await git(copy, 'ls-remote', 'origin');
  assert.match(output, /HEAD\n.*refs\/heads\/main\n.*refs\/notes\/commits\n$/);
  assert.equal((await project.owner.get(`${snippet.at}/raw`)).text, 'a');
});
