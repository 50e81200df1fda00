import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeTag } from '../commits/commit.ts';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld, TEST_SIGNER } from '../fixtures.testing.ts';
import { readGitOutput, runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import {
  findHeadBranch,
  isSha,
  isValidBranchName,
  isValidTagName,
  listRefs,
  resolveRef,
  setHead,
  ZERO_ID,
} from './refs.ts';
import { updateRefs } from './update-refs.ts';

const absent: Repository = { directory: '/nonexistent/none.git' };

async function put(world: GitWorld, ref: string, id: string): Promise<void> {
  const change = { ref, oldId: (await resolveRef(world.repository, ref)) ?? ZERO_ID, newId: id };
  assert.deepEqual(await updateRefs(world.git, world.repository, [change]), { ok: true });
}

const GOOD = [
  'main',
  'a/b',
  '@',
  'a@b',
  'ünïcode',
  'a.b',
  'a-',
  'x.locks',
  '{',
  'a{@',
  "it's",
  'a"b',
  'refs',
  'refs/x',
  'a,b;c',
  '💚',
];
const BAD = [
  'a b',
  'a~',
  'a^b',
  'a:b',
  'a?',
  'a*',
  'a[b',
  'a\\b',
  'a..b',
  'a@{b',
  'a//b',
  '/a',
  'a/',
  '.a',
  'a/.b',
  'a.lock',
  'a.lock/b',
  'a.',
  'a\x01',
  'a\x7f',
  '',
  'a/b/',
  'a\nb',
];

test('validates branch names like git', () => {
  for (const name of GOOD) assert.equal(isValidBranchName(name), true, name);
  for (const name of BAD) assert.equal(isValidBranchName(name), false, JSON.stringify(name));
});

test('rejects some branch names that git accepts', () => {
  // Rules in addition to git's.
  for (const name of ['HEAD', '-a', 'refs/heads/a', 'refs/remotes/a', `${'x'.repeat(251)}`, '\udc80']) {
    assert.equal(isValidBranchName(name), false, JSON.stringify(name));
  }
  assert.equal(isValidTagName('v1.0'), true);
  assert.equal(isValidTagName('-v1'), false);
});

test('git itself gives the same results', async (t) => {
  const world = await createGitWorld(t);
  const commit = await commitFiles(world, 'start', createFileChanges({ a: 'a' }));
  for (const name of [...GOOD, ...BAD].filter((name) => name !== '')) {
    const args = [`refs/heads/${name}`, commit];
    const result = await runGit(world.git, world.repository, 'update-ref', { args });
    assert.equal(result.ok, isValidBranchName(name), JSON.stringify(name));
    if (result.ok) await readGitOutput(world.git, world.repository, 'update-ref', { flags: ['-d'], args });
  }
});

test('every valid name can be created, listed and deleted', async (t) => {
  const world = await createGitWorld(t);
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const names = ['@', 'a@b', 'ünïcode/ß', '{', "it's", 'a"b', 'refs/x', 'a,b;c', '💚', 'x'.repeat(250)];
  for (const name of names) await put(world, `refs/heads/${name}`, commit);
  const listed = (await listRefs(world.git, world.repository, 'refs/heads/')).map((ref) => ref.name.slice(11));
  assert.deepEqual(listed.toSorted(), [...names, 'main'].toSorted());
  for (const name of names) {
    const ref = `refs/heads/${name}`;
    assert.equal(await resolveRef(world.repository, ref), commit, name);
    assert.deepEqual(await updateRefs(world.git, world.repository, [{ ref, oldId: commit, newId: ZERO_ID }]), {
      ok: true,
    });
    assert.equal(await resolveRef(world.repository, ref), null, name);
  }
});

test('a sha is forty hexadecimal digits', () => {
  assert.equal(isSha('a'.repeat(40)), true);
  assert.equal(isSha('A'.repeat(40)), true);
  for (const text of ['a'.repeat(39), 'a'.repeat(41), 'g'.repeat(40), '']) assert.equal(isSha(text), false);
});

/** Invalid names that resemble ref names. */
const BESIDE = ['refs/heads/b', 'refs/heads/b1', 'refs/heads/b1/', 'refs/heads/zz', 'refs/tags/v', 'refs/a', 'HEAD'];

test('finds loose, packed and moved refs, and no deleted ones', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const first = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const names = Array.from({ length: 60 }, (_, number) => `refs/heads/b${number}/x`);
  for (const name of names) await put(world, name, first);
  const tag = { name: 'v1', targetId: first, targetType: 'commit' as const, tagger: TEST_SIGNER, message: 'One' };
  const tagId = await writeTag(git, repository, tag);
  for (const name of ['refs/tags/a', 'refs/tags/v1', 'refs/tags/z']) await put(world, name, tagId);
  await readGitOutput(git, repository, 'pack-refs', { flags: ['--all', '--prune'] });
  for (const name of [...names, 'refs/heads/main']) assert.equal(await resolveRef(repository, name), first, name);
  for (const name of ['refs/tags/a', 'refs/tags/v1', 'refs/tags/z'])
    assert.equal(await resolveRef(repository, name), tagId);
  for (const name of BESIDE) assert.equal(await resolveRef(repository, name), null, name);
  const second = await commitFiles(world, 'main', createFileChanges({ b: 'b' }));
  assert.equal(await resolveRef(repository, 'refs/heads/main'), second);
  await readGitOutput(git, repository, 'pack-refs', { flags: ['--all', '--prune'] });
  assert.equal(await resolveRef(repository, 'refs/heads/main'), second);
  await updateRefs(git, repository, [{ ref: 'refs/heads/main', oldId: second, newId: ZERO_ID }]);
  assert.equal(await resolveRef(repository, 'refs/heads/main'), null);
  assert.equal(await resolveRef(repository, 'refs/heads/b7/x'), first);
});

test('rejects names that resolve outside the refs directory', async (t) => {
  const { repository } = await createGitWorld(t);
  for (const name of [
    'refs/../HEAD',
    'refs/heads/../../config',
    'config',
    '/etc/passwd',
    'refs/heads/x\0',
    'refs/heads',
  ]) {
    assert.equal(await resolveRef(repository, name), null, name);
  }
});

test('a missing repository has no refs, no branches and no HEAD', async (t) => {
  const { git } = await createGitWorld(t);
  assert.equal(await resolveRef(absent, 'refs/heads/main'), null);
  assert.equal(await findHeadBranch(absent), null);
  assert.deepEqual(await listRefs(git, absent, 'refs/heads/'), []);
  const id = '1'.repeat(40);
  const result = await updateRefs(git, absent, [{ ref: 'refs/heads/x', oldId: ZERO_ID, newId: id }]);
  assert.deepEqual(result, { rejected: 'missing-object', ref: 'refs/heads/x', oid: id });
  const removed = await updateRefs(git, absent, [{ ref: 'refs/heads/x', oldId: id, newId: ZERO_ID }]);
  assert.deepEqual(removed, { rejected: 'moved', ref: 'refs/heads/x', expected: id, actual: null });
});

test('lists the type and commit date of each ref', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  world.time += 60_000;
  const tag = { name: 'v1', targetId: commit, targetType: 'commit' as const, tagger: TEST_SIGNER, message: 'One' };
  const tagId = await writeTag(git, repository, tag);
  await put(world, 'refs/tags/v1', tagId);
  await put(world, 'refs/tags/light', commit);
  const light = {
    name: 'refs/tags/light',
    id: commit,
    type: 'commit',
    commitId: commit,
    taggedAt: null,
    committedAt: 1719571460,
  };
  const annotated = { ...light, name: 'refs/tags/v1', id: tagId, type: 'tag', taggedAt: 1719571520 };
  assert.deepEqual(await listRefs(git, repository, 'refs/tags/'), [light, annotated]);
});

test('caches a list per version of the refs', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const first = await listRefs(git, repository, 'refs/heads/', '1');
  await put(world, 'refs/heads/other', commit);
  assert.equal(await listRefs(git, repository, 'refs/heads/', '1'), first);
  assert.equal((await listRefs(git, repository, 'refs/heads/', '2')).length, 2);
  assert.equal((await listRefs(git, repository, 'refs/heads/')).length, 2);
});

test('HEAD names the default branch, which need not exist', async (t) => {
  const { git, repository } = await createGitWorld(t);
  assert.equal(await findHeadBranch(repository), 'main');
  await setHead(git, repository, 'feature/ü');
  assert.equal(await findHeadBranch(repository), 'feature/ü');
  await assert.rejects(setHead(git, repository, '../../x'), /cannot name/);
});
