import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createWorkingCopy } from '#git/transport/client.testing.ts';
import { type Caller, type Project, world } from '#test/support/world.ts';

// Refs that are neither branches nor tags: release tools push `refs/notes/*` (contract/repository.md §5).

const { newProject, newGroup, server } = await world();

const urlOf = (caller: Caller, path: string) =>
  `${server.address.replace('http://', `http://x:${caller.token}@`)}/${path}.git`;

/** A working copy with two commits, the first with a note, and its functions to push and to list the remote's refs. */
async function copyOf(t: TestContext, caller: Caller, path: string) {
  const copy = await createWorkingCopy(t);
  const url = urlOf(caller, path);
  await copy.commit('First');
  await copy.git('notes', 'add', '-m', 'released in 1.0', 'HEAD');
  await copy.commit('Second');
  const push = async (...refs: string[]) => copy.tryGit('push', '--porcelain', url, ...refs);
  const listRemote = async () =>
    (await copy.git('ls-remote', url)).split('\n').flatMap((line) => line.split('\t').slice(1));
  return { ...copy, url, push, listRemote };
}

async function countEvents({ owner, at }: Project): Promise<number> {
  return (await owner.get(`${at}/events`)).body.length;
}

test('creates, fetches, updates and deletes notes without events, pipelines or branches', async (t) => {
  const project = await newProject({ with: ['developer'] });
  const { developer, owner, at, path_with_namespace: path } = project;
  await owner.post(`${at}/protected_branches`, { name: '*' });
  const { git, url, push, listRemote } = await copyOf(t, developer, path);
  assert.equal((await push('refs/notes/commits')).code, 0);
  assert.equal((await owner.get(at)).body.empty_repo, true);
  await git('push', urlOf(owner, path), 'main', 'refs/notes/commits:refs/heads/other');
  const events = await countEvents(project);
  assert.equal((await push('refs/notes/commits:refs/notes/semantic-release', 'HEAD:refs/deploys/a/b')).code, 0);
  await git('fetch', '-q', url, 'refs/notes/*:refs/notes/fetched/*');
  assert.equal(await git('notes', '--ref', 'fetched/commits', 'show', 'HEAD~1'), 'released in 1.0');
  assert.equal((await push('+HEAD:refs/notes/semantic-release')).code, 0);
  assert.equal((await push(':refs/notes/semantic-release')).code, 0);
  assert.deepEqual(await listRemote(), [
    'HEAD',
    'refs/deploys/a/b',
    'refs/heads/main',
    'refs/heads/other',
    'refs/notes/commits',
  ]);
  const branches = (await owner.get(`${at}/repository/branches`)).body.map(({ name }: { name: string }) => name);
  assert.deepEqual(branches, ['main', 'other']);
  assert.equal(await countEvents(project), events);
  assert.deepEqual((await owner.get(`${at}/pipelines`)).body, []);
});

test('refuses such a ref as any push: below Developer, archived, or with an invalid name', async (t) => {
  const project = await newProject({ readme: true, with: ['developer', 'reporter'] });
  const { developer, reporter, owner, at, path_with_namespace: path } = project;
  const { push } = await copyOf(t, developer, path);
  const asReporter = await copyOf(t, reporter, path);
  assert.match((await asReporter.push('refs/notes/commits')).stderr, /403/);
  for (const ref of [`refs/notes/${'a'.repeat(251)}`, `refs/${'notes/'.repeat(180)}x`]) {
    assert.match((await push(`HEAD:${ref}`)).stderr, /GitLab: Ref name is invalid/);
  }
  await owner.post(`${at}/archive`);
  assert.match((await push('refs/notes/commits')).stderr, /403/);
});

test('refuses refs that the server makes, one by one, and moves the others of the push', async (t) => {
  const project = await newProject({ readme: true });
  const { owner, path_with_namespace: path } = project;
  const { push, listRemote } = await copyOf(t, owner, path);
  const serverRefs = ['merge-requests/1/head', 'keep-around/x', 'pipelines/1', 'environments/a'];
  const only = await push(...serverRefs.map((name) => `HEAD:refs/${name}`));
  assert.equal(only.code, 1);
  const both = await push('HEAD:refs/heads/topic', ...serverRefs.map((name) => `HEAD:refs/${name}`));
  assert.equal(both.code, 1);
  assert.equal(both.stdout.match(/^!.*deny updating a hidden ref/gm)?.length, 4, both.stdout);
  assert.deepEqual(await listRemote(), ['HEAD', 'refs/heads/main', 'refs/heads/topic']);
  assert.equal((await owner.get(`${project.at}/repository/branches/topic`)).status, 200);
});

test('keeps such refs in wikis', async (t) => {
  const group = await newGroup();
  const { push, listRemote } = await copyOf(t, group.owner, `${group.full_path}.wiki`);
  assert.equal((await push('main', 'refs/notes/commits')).code, 0);
  assert.equal((await push('HEAD:refs/keep-around/x')).code, 1);
  assert.deepEqual(await listRemote(), ['HEAD', 'refs/heads/main', 'refs/notes/commits']);
});
