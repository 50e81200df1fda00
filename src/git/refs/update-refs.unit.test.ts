import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { commitFiles, createFileChanges, createGitWorld, type GitWorld } from '../fixtures.testing.ts';
import { readCommit } from '../objects/object-reader.ts';
import { GitError } from '../process/failures.ts';
import { readGitOutput } from '../process/spawn.ts';
import { resolveRef, ZERO_ID } from './refs.ts';
import { type RefChange, updateRefs } from './update-refs.ts';

async function twoCommits(world: GitWorld): Promise<{ first: string; second: string }> {
  return {
    first: await commitFiles(world, 'main', createFileChanges({ a: 'a' })),
    second: await commitFiles(world, 'main', createFileChanges({ b: 'b' })),
  };
}

const NONE = '1'.repeat(40);
const createRef = (ref: string, newId: string): RefChange => ({ ref, oldId: ZERO_ID, newId });

interface Given {
  readonly world: GitWorld;
  readonly first: string;
  readonly second: string;
}

/** Refs that may conflict: loose or packed. */
async function givenRefs(t: TestContext, packed: boolean): Promise<Given> {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  await updateRefs(git, repository, [
    createRef('refs/heads/a', first),
    createRef('refs/heads/x/y', first),
    createRef('refs/heads/z', first),
  ]);
  if (packed) await readGitOutput(git, repository, 'pack-refs', { flags: ['--all', '--prune'] });
  return { world, first, second };
}

/** Each change fails like this, together with a valid one. */
async function assertRefused({ world, first, second }: Given, cases: readonly [RefChange, unknown][]): Promise<void> {
  const { git, repository } = world;
  for (const [change, refusal] of cases) {
    const good = { ref: 'refs/heads/z', oldId: first, newId: second };
    assert.deepEqual(await updateRefs(git, repository, [good, change]), refusal);
    assert.equal(await resolveRef(repository, 'refs/heads/z'), first, 'all or none');
    assert.equal(await resolveRef(repository, 'refs/heads/main'), second);
  }
}

for (const packed of [false, true]) {
  const how = packed ? 'packed' : 'loose';

  test(`rejects a stale old id with both ids, and no ref moves (${how} refs)`, async (t) => {
    const refs = await givenRefs(t, packed);
    const { first, second } = refs;
    await assertRefused(refs, [
      [
        { ref: 'refs/heads/main', oldId: first, newId: ZERO_ID },
        { rejected: 'moved', ref: 'refs/heads/main', expected: first, actual: second },
      ],
      [
        { ref: 'refs/heads/main', oldId: NONE, newId: first },
        { rejected: 'moved', ref: 'refs/heads/main', expected: NONE, actual: second },
      ],
      [
        createRef('refs/heads/main', first),
        { rejected: 'moved', ref: 'refs/heads/main', expected: null, actual: second },
      ],
      [
        { ref: 'refs/heads/none', oldId: first, newId: second },
        { rejected: 'moved', ref: 'refs/heads/none', expected: first, actual: null },
      ],
      [
        { ref: 'refs/heads/none', oldId: first, newId: ZERO_ID },
        { rejected: 'moved', ref: 'refs/heads/none', expected: first, actual: null },
      ],
    ]);
  });

  test(`rejects a ref below or above another one, and no ref moves (${how} refs)`, async (t) => {
    const refs = await givenRefs(t, packed);
    await assertRefused(refs, [
      [
        createRef('refs/heads/a/b', refs.first),
        { rejected: 'conflict', ref: 'refs/heads/a/b', existing: 'refs/heads/a' },
      ],
      [
        createRef('refs/heads/x', refs.first),
        { rejected: 'conflict', ref: 'refs/heads/x', existing: 'refs/heads/x/y' },
      ],
    ]);
  });

  test(`rejects a missing object, and no ref moves (${how} refs)`, async (t) => {
    const refs = await givenRefs(t, packed);
    const { git, repository } = refs.world;
    const tree = (await readCommit(git, repository, refs.first))!.treeId;
    await assertRefused(refs, [
      [createRef('refs/heads/new', NONE), { rejected: 'missing-object', ref: 'refs/heads/new', oid: NONE }],
      [createRef('refs/heads/new', tree), { rejected: 'missing-object', ref: 'refs/heads/new', oid: tree }],
    ]);
  });

  test(`rejects an invalid ref name, and no ref moves (${how} refs)`, async (t) => {
    const refs = await givenRefs(t, packed);
    const injected = 'refs/heads/x\ndelete refs/heads/main';
    await assertRefused(refs, [
      [createRef('refs/heads/a..b', refs.first), { rejected: 'invalid-name', ref: 'refs/heads/a..b' }],
      [createRef('heads/a', refs.first), { rejected: 'invalid-name', ref: 'heads/a' }],
      [createRef(injected, refs.first), { rejected: 'invalid-name', ref: injected }],
    ]);
  });
}

test('creates, moves and deletes refs in one update', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  await updateRefs(git, repository, [{ ref: 'refs/heads/old/x', oldId: ZERO_ID, newId: first }]);
  const changes = [
    { ref: 'refs/heads/new/x', oldId: ZERO_ID, newId: first },
    { ref: 'refs/heads/main', oldId: second, newId: first },
    { ref: 'refs/heads/old/x', oldId: first, newId: ZERO_ID },
    { ref: 'refs/heads/none', oldId: ZERO_ID, newId: ZERO_ID },
  ];
  assert.deepEqual(await updateRefs(git, repository, changes), { ok: true });
  assert.equal(await resolveRef(repository, 'refs/heads/new/x'), first);
  assert.equal(await resolveRef(repository, 'refs/heads/main'), first);
  assert.equal(await resolveRef(repository, 'refs/heads/old/x'), null);
  const after = [{ ref: 'refs/heads/old', oldId: ZERO_ID, newId: first }];
  assert.deepEqual(await updateRefs(git, repository, after), { ok: true }, 'an empty directory is no ref');
});

test('a and a/b in one update conflict', async (t) => {
  const world = await createGitWorld(t);
  const { first } = await twoCommits(world);
  const changes = ['refs/heads/a', 'refs/heads/a/b'].map((ref) => ({ ref, oldId: ZERO_ID, newId: first }));
  const update = await updateRefs(world.git, world.repository, changes);
  assert.ok('rejected' in update && update.rejected === 'conflict', JSON.stringify(update));
});

test('rejects a ref locked by another process after retries, and moves it later', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  const lock = join(repository.directory, 'refs/heads/main.lock');
  await writeFile(lock, '');
  const change = [{ ref: 'refs/heads/main', oldId: second, newId: first }];
  assert.deepEqual(await updateRefs(git, repository, change), { rejected: 'locked', ref: 'refs/heads/main' });
  await rm(lock);
  assert.deepEqual(await updateRefs(git, repository, change), { ok: true });
});

test('a broken repository throws an error', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const { first, second } = await twoCommits(world);
  await rm(join(repository.directory, 'objects'), { recursive: true });
  await mkdir(join(repository.directory, 'refs/heads/x.lock'));
  for (const leave of git.releaseHooks) leave(repository);
  await assert.rejects(
    updateRefs(git, repository, [{ ref: 'refs/heads/main', oldId: second, newId: first }]),
    (error) => error instanceof GitError && error.failure.kind === 'no-repository',
  );
});

test('twenty creators of twenty branches all succeed', async (t) => {
  const world = await createGitWorld(t);
  const { first } = await twoCommits(world);
  const updates = await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      updateRefs(world.git, world.repository, [{ ref: `refs/heads/n${number}`, oldId: ZERO_ID, newId: first }]),
    ),
  );
  assert.deepEqual(updates, Array(20).fill({ ok: true }));
});
