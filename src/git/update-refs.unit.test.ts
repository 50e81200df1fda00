import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitFailed } from './failures.ts';
import { readCommit } from './objects.ts';
import { resolveRef, zeroId } from './refs.ts';
import { output } from './spawn.ts';
import { commitTo, files, type GitWorld, gitWorld } from './testing.ts';
import { type RefChange, updateRefs } from './update-refs.ts';

async function twoCommits(world: GitWorld): Promise<{ first: string; second: string }> {
  return {
    first: await commitTo(world, 'main', files({ a: 'a' })),
    second: await commitTo(world, 'main', files({ b: 'b' })),
  };
}

for (const packed of [false, true]) {
  const how = packed ? 'packed' : 'loose';

  test(`each refusal says what is in the way and moves nothing (${how} refs)`, async (t) => {
    const world = await gitWorld(t);
    const { git, repository } = world;
    const { first, second } = await twoCommits(world);
    const make = (ref: string): RefChange => ({ ref, oldId: zeroId, newId: first });
    await updateRefs(git, repository, [make('refs/heads/a'), make('refs/heads/x/y'), make('refs/heads/z')]);
    if (packed) await output(git, repository, 'pack-refs', { flags: ['--all', '--prune'] });
    const tree = (await readCommit(git, repository, first))!.treeId;
    const none = '1'.repeat(40);
    const cases: [RefChange, unknown][] = [
      [
        { ref: 'refs/heads/main', oldId: first, newId: zeroId },
        { refused: 'moved', ref: 'refs/heads/main', expected: first, actual: second },
      ],
      [
        { ref: 'refs/heads/main', oldId: none, newId: first },
        { refused: 'moved', ref: 'refs/heads/main', expected: none, actual: second },
      ],
      [make('refs/heads/main'), { refused: 'moved', ref: 'refs/heads/main', expected: null, actual: second }],
      [
        { ref: 'refs/heads/none', oldId: first, newId: second },
        { refused: 'moved', ref: 'refs/heads/none', expected: first, actual: null },
      ],
      [
        { ref: 'refs/heads/none', oldId: first, newId: zeroId },
        { refused: 'moved', ref: 'refs/heads/none', expected: first, actual: null },
      ],
      [make('refs/heads/a/b'), { refused: 'conflict', ref: 'refs/heads/a/b', existing: 'refs/heads/a' }],
      [make('refs/heads/x'), { refused: 'conflict', ref: 'refs/heads/x', existing: 'refs/heads/x/y' }],
      [
        { ref: 'refs/heads/new', oldId: zeroId, newId: none },
        { refused: 'missing-object', ref: 'refs/heads/new', oid: none },
      ],
      [
        { ref: 'refs/heads/new', oldId: zeroId, newId: tree },
        { refused: 'missing-object', ref: 'refs/heads/new', oid: tree },
      ],
      [make('refs/heads/a..b'), { refused: 'invalid-name', ref: 'refs/heads/a..b' }],
      [make('heads/a'), { refused: 'invalid-name', ref: 'heads/a' }],
      [
        make('refs/heads/x\ndelete refs/heads/main'),
        { refused: 'invalid-name', ref: 'refs/heads/x\ndelete refs/heads/main' },
      ],
    ];
    for (const [change, refusal] of cases) {
      const good = { ref: 'refs/heads/z', oldId: first, newId: second };
      assert.deepEqual(await updateRefs(git, repository, [good, change]), refusal);
      assert.equal(await resolveRef(repository, 'refs/heads/z'), first, 'all or none');
      assert.equal(await resolveRef(repository, 'refs/heads/main'), second);
    }
  });
}

test('refs are made, moved and removed in one step', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  await updateRefs(git, repository, [{ ref: 'refs/heads/old/x', oldId: zeroId, newId: first }]);
  const changes = [
    { ref: 'refs/heads/new/x', oldId: zeroId, newId: first },
    { ref: 'refs/heads/main', oldId: second, newId: first },
    { ref: 'refs/heads/old/x', oldId: first, newId: zeroId },
    { ref: 'refs/heads/none', oldId: zeroId, newId: zeroId },
  ];
  assert.deepEqual(await updateRefs(git, repository, changes), { ok: true });
  assert.equal(await resolveRef(repository, 'refs/heads/new/x'), first);
  assert.equal(await resolveRef(repository, 'refs/heads/main'), first);
  assert.equal(await resolveRef(repository, 'refs/heads/old/x'), null);
  const after = [{ ref: 'refs/heads/old', oldId: zeroId, newId: first }];
  assert.deepEqual(await updateRefs(git, repository, after), { ok: true }, 'an empty directory is no ref');
});

test('a and a/b in one update conflict', async (t) => {
  const world = await gitWorld(t);
  const { first } = await twoCommits(world);
  const changes = ['refs/heads/a', 'refs/heads/a/b'].map((ref) => ({ ref, oldId: zeroId, newId: first }));
  const update = await updateRefs(world.git, world.repository, changes);
  assert.ok('refused' in update && update.refused === 'conflict', JSON.stringify(update));
});

test('a ref that another process holds locked is refused after a while, and later moves', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  const lock = join(repository.directory, 'refs/heads/main.lock');
  await writeFile(lock, '');
  const change = [{ ref: 'refs/heads/main', oldId: second, newId: first }];
  assert.deepEqual(await updateRefs(git, repository, change), { refused: 'locked', ref: 'refs/heads/main' });
  await rm(lock);
  assert.deepEqual(await updateRefs(git, repository, change), { ok: true });
});

test('a broken repository is an error and no refusal', async (t) => {
  const world = await gitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  await rm(join(repository.directory, 'objects'), { recursive: true });
  await mkdir(join(repository.directory, 'refs/heads/x.lock'));
  for (const leave of git.leaving) leave(repository);
  await assert.rejects(
    updateRefs(git, repository, [{ ref: 'refs/heads/main', oldId: second, newId: first }]),
    (error) => error instanceof GitFailed && error.failure.kind === 'no-repository',
  );
});

test('twenty creators of twenty branches all succeed', async (t) => {
  const world = await gitWorld(t);
  const { first } = await twoCommits(world);
  const updates = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      updateRefs(world.git, world.repository, [{ ref: `refs/heads/n${number}`, oldId: zeroId, newId: first }]),
    ),
  );
  assert.deepEqual(updates, Array(20).fill({ ok: true }));
});
