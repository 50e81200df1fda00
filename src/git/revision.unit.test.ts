import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeTag } from './annotated-tag.ts';
import { readCommit } from './objects.ts';
import { zeroId } from './refs.ts';
import { branchTip, resolveRevision } from './revision.ts';
import { commitTo, files, type GitWorld, gitWorld, someone } from './testing.ts';
import { updateRefs } from './update-refs.ts';

async function put(world: GitWorld, ref: string, id: string): Promise<void> {
  assert.deepEqual(await updateRefs(world.git, world.repository, [{ ref, oldId: zeroId, newId: id }]), { ok: true });
}

test('a revision resolves as the contract says', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const a = await commitTo(world, 'main', files({ a: 'a' }));
  const b = await commitTo(world, 'main', files({ b: 'b' }));
  const c = await commitTo(world, 'main', files({ c: 'c' }));
  const tree = (await readCommit(git, repository, c))!.treeId;
  const make = (name: string, targetId: string, targetType: 'commit' | 'tag' | 'tree') =>
    writeTag(git, repository, { name, targetId, targetType, tagger: someone, message: 'x' });
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

  const table: [text: string, commit: string | null][] = [
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
    ['main~1', b],
    ['main~2', a],
    ['main^', b],
    ['main^^', a],
    ['main^0', c],
    ['main~1^1', a],
    ['HEAD~', b],
    ['v1^{commit}~1', a],
    [`${c}~1`, b],
    ['main~3', null],
    ['main^2', null],
    ['none', null],
    ['of-tree', null],
    [tree, null],
    ['0'.repeat(40), null],
    [b.slice(0, 3), null],
    ['', null],
    ['~1', null],
    ['-main', null],
    ['--all', null],
    ['main:a', null],
    [':/Change', null],
    ['main a', null],
    ['main\n', null],
    ['main\0', null],
    ['main@{0}', null],
    ['main@{upstream}', null],
    ['@{-1}', null],
    ['main..main', null],
    ['main^{tree}', null],
    ['main^{/Change}', null],
    ['^main', null],
    ['config', null],
    ['refs/heads', null],
    ['refs/../HEAD', null],
  ];
  for (const [text, commit] of table) {
    assert.equal(await resolveRevision(git, repository, text), commit, JSON.stringify(text));
  }
  assert.equal(await branchTip(repository, 'both'), c);
  assert.equal(await branchTip(repository, 'v1'), null);
});

test('a branch that has just moved is seen at once, without a new process', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  await commitTo(world, 'main', files({ a: 'a' }));
  await resolveRevision(git, repository, 'main');
  const pids = [...git.processes.children].map((child) => child.pid).sort();
  for (let number = 0; number < 5; number += 1) {
    const commit = await commitTo(world, 'main', files({ [`f${number}`]: 'x' }));
    assert.equal(await resolveRevision(git, repository, 'main'), commit);
    assert.equal(await resolveRevision(git, repository, commit.slice(0, 12)), commit);
  }
  assert.deepEqual([...git.processes.children].map((child) => child.pid).sort(), pids);
});

test('nothing resolves in an empty and in an absent repository', async (t) => {
  const { git, repository } = await gitWorld(t);
  for (const where of [repository, { directory: '/nonexistent/none.git' }]) {
    for (const text of ['HEAD', 'main', 'abcd', '1'.repeat(40), 'main~1']) {
      assert.equal(await resolveRevision(git, where, text), null, text);
    }
  }
});
