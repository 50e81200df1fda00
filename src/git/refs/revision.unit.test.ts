import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { writeTag } from '../commits/commit.ts';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld, TEST_SIGNER } from '../fixtures.testing.ts';
import { readCommit } from '../objects/object-reader.ts';
import { ZERO_ID } from './refs.ts';
import { findBranchHead, resolveRevision, resolveRevisionAtVersion } from './revision.ts';
import { updateRefs } from './update-refs.ts';

async function put(world: GitWorld, ref: string, id: string): Promise<void> {
  assert.deepEqual(await updateRefs(world.git, world.repository, [{ ref, oldId: ZERO_ID, newId: id }]), { ok: true });
}

interface Given {
  readonly world: GitWorld;
  /** Commits, each the parent of the next. */
  readonly a: string;
  readonly b: string;
  readonly c: string;
  readonly tag: string;
  readonly tree: string;
}

/** Branches and tags named like each other, like commits and like folders. */
async function givenRefs(t: TestContext): Promise<Given> {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const a = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const b = await commitFiles(world, 'main', createFileChanges({ b: 'b' }));
  const c = await commitFiles(world, 'main', createFileChanges({ c: 'c' }));
  const tree = (await readCommit(git, repository, c))!.treeId;
  const make = (name: string, targetId: string, targetType: 'commit' | 'tag' | 'tree') =>
    writeTag(git, repository, { name, targetId, targetType, tagger: TEST_SIGNER, message: 'x' });
  const tag = await make('v1', b, 'commit');
  await put(world, 'refs/tags/v1', tag);
  await put(world, 'refs/tags/nested', await make('nested', tag, 'tag'));
  await put(world, 'refs/tags/of-tree', await make('of-tree', tree, 'tree'));
  await put(world, 'refs/tags/both', a);
  await put(world, 'refs/heads/both', c);
  await put(world, 'refs/heads/heads/x', a);
  await put(world, `refs/heads/${a}`, c);
  await put(world, `refs/heads/${a.slice(0, 10)}`, c);
  await put(world, 'refs/merge-requests/1/head', b);
  await put(world, 'refs/heads/-main', c);
  return { world, a, b, c, tag, tree };
}

async function assertResolved(
  { world }: Given,
  table: readonly [text: string, commit: string | null][],
): Promise<void> {
  for (const [text, commit] of table) {
    assert.equal(await resolveRevision(world.git, world.repository, text), commit, JSON.stringify(text));
  }
}

test('resolves a commit id, a ref by any of its names, or an abbreviated id, in this order', async (t) => {
  const refs = await givenRefs(t);
  const { a, b, c, tag } = refs;
  await assertResolved(refs, [
    [a, a],
    [a.toUpperCase(), a],
    ['main', c],
    ['HEAD', c],
    ['refs/heads/main', c],
    ['heads/main', c],
    ['heads/x', a],
    ['v1', b],
    ['tags/v1', b],
    ['refs/tags/v1', b],
    [tag, b],
    ['nested', b],
    ['both', a],
    ['heads/both', c],
    ['refs/heads/both', c],
    ['tags/both', a],
    ['refs/merge-requests/1/head', b],
    [a.slice(0, 10), c],
    [b.slice(0, 4), b],
    [b.slice(0, 39), b],
  ]);
});

test('resolves parents of a revision', async (t) => {
  const refs = await givenRefs(t);
  const { a, b, c } = refs;
  await assertResolved(refs, [
    ['main~1', b],
    ['main~2', a],
    ['main^', b],
    ['main^^', a],
    ['main^0', c],
    ['main~1^1', a],
    ['HEAD~', b],
    ['v1^{commit}~1', a],
    [`${c}~1`, b],
  ]);
});

const NO_REVISIONS = [
  'main~3',
  'main^2',
  'none',
  'of-tree',
  '',
  '~1',
  '-main',
  '--all',
  'main:a',
  ':/Change',
  'main a',
  'main\n',
  'main\0',
  'main@{0}',
  'main@{upstream}',
  '@{-1}',
  'main..main',
  'main^{tree}',
  'main^{/Change}',
  '^main',
  'config',
  'refs/heads',
  'refs/../HEAD',
];

test('does not resolve objects other than commits, or names internal to git', async (t) => {
  const refs = await givenRefs(t);
  const { b, tree } = refs;
  await assertResolved(
    refs,
    NO_REVISIONS.map((text) => [text, null]),
  );
  await assertResolved(refs, [
    [tree, null],
    ['0'.repeat(40), null],
    [b.slice(0, 3), null],
  ]);
});

test('the tip of a branch is not that of a tag', async (t) => {
  const { world, c } = await givenRefs(t);
  const { repository } = world;
  assert.equal(await findBranchHead(repository, 'both'), c);
  assert.equal(await findBranchHead(repository, 'v1'), null);
});

test('sees a moved branch immediately, without a new process', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  await resolveRevision(git, repository, 'main');
  const before = [...git.processes.children];
  for (let number = 0; number < 5; number += 1) {
    const commit = await commitFiles(world, 'main', createFileChanges({ [`f${number}`]: 'x' }));
    assert.equal(await resolveRevision(git, repository, 'main'), commit);
    assert.equal(await resolveRevision(git, repository, commit.slice(0, 12)), commit);
  }
  assert.deepEqual(new Set(git.processes.children), new Set(before));
});

test('resolves nothing in an empty or missing repository', async (t) => {
  const { git, repository } = await createGitWorld(t);
  for (const where of [repository, { directory: '/nonexistent/none.git' }]) {
    for (const text of ['HEAD', 'main', 'abcd', '1'.repeat(40), 'main~1']) {
      assert.equal(await resolveRevision(git, where, text), null, text);
    }
  }
});

test('stores no result of a long text, of which anybody can send many', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const [short, long] = ['s'.repeat(40), Array.from({ length: 4 }, () => 'l'.repeat(100)).join('/')];
  for (const name of [short, long]) {
    assert.equal(await resolveRevisionAtVersion(git, repository, name, '1'), null);
    await put(world, `refs/heads/${name}`, commit);
  }
  assert.equal(await resolveRevisionAtVersion(git, repository, short, '1'), null);
  assert.equal(await resolveRevisionAtVersion(git, repository, short, '2'), commit);
  assert.equal(await resolveRevisionAtVersion(git, repository, long, '1'), commit);
});
