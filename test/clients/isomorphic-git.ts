// Drives a Hearth server with isomorphic-git, which implements git in JavaScript: one line a step.
import assert from 'node:assert/strict';
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { api, step } from './step.ts';

const { HEARTH = '', TOKEN = '', CLIENT_CACHE = '' } = process.env;

type Options = Readonly<Record<string, unknown>>;
interface Pushed {
  readonly ok: boolean;
  readonly refs: Readonly<Record<string, { readonly ok: boolean; readonly error: string }>>;
}

/** The part of the library that is used here. */
interface Git {
  init(options: Options): Promise<void>;
  clone(options: Options): Promise<void>;
  fetch(options: Options): Promise<unknown>;
  pull(options: Options): Promise<void>;
  add(options: Options): Promise<void>;
  commit(options: Options): Promise<string>;
  branch(options: Options): Promise<void>;
  annotatedTag(options: Options): Promise<void>;
  addNote(options: Options): Promise<string>;
  push(options: Options): Promise<Pushed>;
  log(options: Options): Promise<{ readonly oid: string }[]>;
  listServerRefs(options: Options): Promise<{ readonly ref: string; readonly oid: string }[]>;
}

const load = createRequire(join(CLIENT_CACHE, 'index.js'));
const git: Git = load('isomorphic-git');
const http: unknown = load('isomorphic-git/http/node');
const place = mkdtempSync(join(tmpdir(), 'hearth-isomorphic-git-'));
const onAuth = () => ({ username: 'root', password: TOKEN });
const author = { name: 'Iso', email: 'iso@hearth.test' };
const url = `${HEARTH}/root/isomorphic.git`;
const optionsOf = (name: string): Options => ({ fs, http, dir: join(place, name), onAuth, author });

async function commit(name: string, file: string, content: string): Promise<string> {
  writeFileSync(join(place, name, file), content);
  await git.add({ ...optionsOf(name), filepath: file });
  return git.commit({ ...optionsOf(name), message: `Write ${file}` });
}

let project = 0;
await step('an empty project is cloned and gets its first push', async () => {
  const created = await api('POST', '/projects', { name: 'isomorphic' });
  assert.equal(created.status, 201);
  project = ((await created.json()) as { id: number }).id;
  await git.init({ ...optionsOf('one'), defaultBranch: 'main' });
  const head = await commit('one', 'a.txt', 'a\n');
  assert.ok((await git.push({ ...optionsOf('one'), url, ref: 'main' })).ok);
  const branch = (await (await api('GET', `/projects/${project}/repository/branches/main`)).json()) as {
    readonly commit: { readonly id: string };
  };
  assert.equal(branch.commit.id, head);
});

await step('a clone has what was pushed, with and without .git in the address', async () => {
  for (const [name, address] of [
    ['two', url],
    ['three', url.replace(/\.git$/, '')],
  ] as const) {
    await git.clone({ ...optionsOf(name), url: address });
    assert.equal(readFileSync(join(place, name, 'a.txt'), 'utf8'), 'a\n');
  }
});

await step('a clone of one commit', async () => {
  await commit('two', 'b.txt', 'b\n');
  await git.push({ ...optionsOf('two'), ref: 'main' });
  await git.clone({ ...optionsOf('shallow'), url, depth: 1, singleBranch: true });
  assert.equal((await git.log(optionsOf('shallow'))).length, 1);
  await git.fetch({ ...optionsOf('shallow'), depth: 2 });
  assert.equal((await git.log({ ...optionsOf('shallow'), ref: 'origin/main' })).length, 2);
});

await step('a branch, an annotated tag and a note', async () => {
  await git.branch({ ...optionsOf('two'), ref: 'feature/one' });
  await git.annotatedTag({ ...optionsOf('two'), ref: 'v1', message: 'One', tagger: author });
  const [head] = await git.log(optionsOf('two'));
  await git.addNote({ ...optionsOf('two'), oid: head!.oid, note: 'noted' });
  for (const ref of ['feature/one', 'refs/tags/v1', 'refs/notes/commits'])
    assert.ok((await git.push({ ...optionsOf('two'), ref, remoteRef: ref })).ok, ref);
  const refs = (await git.listServerRefs({ http, url, onAuth })).map(({ ref }) => ref);
  for (const ref of ['refs/heads/feature/one', 'refs/tags/v1', 'refs/notes/commits'])
    assert.ok(refs.includes(ref), ref);
});

await step('a commit of the API arrives by a pull', async () => {
  const body = { branch: 'main', commit_message: 'Written by the API', content: 'c' };
  assert.equal((await api('POST', `/projects/${project}/repository/files/c.txt`, body)).status, 201);
  await git.pull({ ...optionsOf('two'), ref: 'main' });
  assert.equal(readFileSync(join(place, 'two/c.txt'), 'utf8'), 'c');
});

await step('a forced push to a protected branch is refused with the reason', async () => {
  await commit('one', 'other.txt', 'other\n');
  const push = git.push({ ...optionsOf('one'), url, ref: 'main', force: true });
  await assert.rejects(push, (error: { data?: { result?: Pushed } }) => {
    assert.match(error.data?.result?.refs['refs/heads/main']?.error ?? '', /pre-receive hook declined/);
    return true;
  });
});

await step('a branch is deleted', async () => {
  await git.push({ ...optionsOf('two'), ref: 'feature/one', remoteRef: 'refs/heads/feature/one', delete: true });
  assert.equal((await api('GET', `/projects/${project}/repository/branches/feature%2Fone`)).status, 404);
});

await step('a stranger gets 401 and then 404 by a wrong path', async () => {
  const clone = (address: string, more: Options) =>
    git.clone({ fs, http, dir: join(place, 'no'), url: address, ...more });
  await assert.rejects(clone(url, {}), (error: { data?: { statusCode?: number } }) => error.data?.statusCode === 401);
  const missing = clone(`${HEARTH}/root/missing.git`, { onAuth });
  await assert.rejects(missing, (error: { data?: { statusCode?: number } }) => error.data?.statusCode === 404);
});

rmSync(place, { recursive: true, force: true });
