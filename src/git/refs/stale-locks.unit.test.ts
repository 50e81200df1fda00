import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkRepository, commitFiles, createFileChanges, createGitWorld, type GitWorld } from '../fixtures.testing.ts';
import { createGit } from '../git.ts';
import { getObjectInfo } from '../objects/object-reader.ts';
import { ZERO_ID } from './refs.ts';
import { listStaleFiles, removeStaleLocks, removeStaleRepositoryLocks } from './stale-locks.ts';
import { updateRefs } from './update-refs.ts';

/** Writes a file that is this many minutes old. */
async function placed({ repository, time }: GitWorld, path: string, minutes: number): Promise<string> {
  const full = join(repository.directory, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, 'x');
  const then = new Date(time - minutes * 60_000);
  await utimes(full, then, then);
  return full;
}

const REF_LOCKS = ['HEAD.lock', 'packed-refs.lock', 'refs/heads/a/b.lock'];

test('removes old locks and drafts of refs at start-up and keeps younger ones', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const old = await Promise.all(REF_LOCKS.map((path) => placed(world, path, 12)));
  const young = await Promise.all(['config.lock', 'refs/heads/main.lock'].map((path) => placed(world, path, 10)));
  const notLock = await placed(world, 'objects/info/other', 10_000);
  const draft = join(dirname(repository.directory), 'tmp-1.git');
  await mkdir(join(draft, 'objects'), { recursive: true });
  const then = new Date(world.time - 11 * 60_000);
  await utimes(draft, then, then);
  assert.deepEqual((await removeStaleLocks(git)).sort(), [...old, draft].sort());
  for (const path of [...young, notLock]) assert.ok(existsSync(path), path);
  assert.equal((await getObjectInfo(git, repository, 'refs/heads/main'))?.id, commit);
  world.time += 60_000;
  assert.deepEqual((await removeStaleLocks(git)).sort(), young.sort());
  await checkRepository(world);
});

test('keeps locks of long operations for hours', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const graph = await placed(world, 'objects/info/commit-graphs/commit-graph-chain.lock', 0);
  const packs = await placed(world, 'objects/pack/multi-pack-index.lock', 0);
  world.time += 2 * 3_600_000;
  assert.deepEqual(await removeStaleRepositoryLocks(git, repository), []);
  world.time += 60_000;
  assert.deepEqual(await removeStaleRepositoryLocks(git, repository), [graph]);
  world.time += 10 * 3_600_000;
  assert.deepEqual(await removeStaleRepositoryLocks(git, repository), [packs]);
});

test('removes temporary files of killed commands once no command can write them any more', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const names = ['pack/tmp_pack_AbCdEf', 'pack/tmp_idx_AbCdEf', 'pack/.tmp-12-pack-34.pack'];
  const files = await Promise.all(names.map((name) => placed(world, `objects/${name}`, 0)));
  const incoming = await placed(world, 'objects/tmp_objdir-incoming-AbCdEf/pack/tmp_pack_1', 0);
  const directory = dirname(dirname(incoming));
  const then = new Date(world.time);
  await utimes(directory, then, then);
  await placed(world, 'objects/pack/pack-1.pack', 10_000);
  world.time += 12 * 3_600_000;
  assert.deepEqual([await listStaleFiles(git, repository), await removeStaleLocks(git)], [[], []]);
  world.time += 60_000;
  const stale = [...files, directory].sort();
  assert.deepEqual((await listStaleFiles(git, repository)).sort(), stale);
  assert.deepEqual((await removeStaleLocks(git)).sort(), stale);
  assert.ok(existsSync(join(repository.directory, 'objects/pack/pack-1.pack')));
});

test('removes a stale lock when a ref update finds it', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const commit = await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  await placed(world, 'refs/heads/next.lock', 12);
  const changes = [{ ref: 'refs/heads/next', oldId: ZERO_ID, newId: commit }];
  assert.deepEqual(await updateRefs(git, repository, changes), { ok: true });
});

test('keeps a lock that git takes while the stale one is being removed', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  await commitFiles(world, 'main', createFileChanges({ a: 'a' }));
  const lock = await placed(world, 'refs/heads/main.lock', 12);
  let looked = 0;
  const now = () => {
    const time = new Date(world.time);
    if (++looked > 1) return time;
    // Between the check of the old lock and its removal, another process removes it and git takes a new one.
    rmSync(lock);
    writeFileSync(lock, 'fresh');
    utimesSync(lock, time, time);
    return time;
  };
  assert.deepEqual(await removeStaleRepositoryLocks({ ...git, clock: { ...git.clock, now } }, repository), []);
  assert.equal(readFileSync(lock, 'utf8'), 'fresh');
  assert.deepEqual((await readdir(dirname(lock))).sort(), ['main', 'main.lock']);
});

test('succeeds if another process removes the stale lock first', async (t) => {
  const world = await createGitWorld(t);
  const { git, repository } = world;
  const directory = dirname(await placed(world, 'refs/heads/main.lock', 12));
  let looked = 0;
  const now = () => {
    if (++looked === 1) return new Date(world.time);
    for (const name of readdirSync(directory)) rmSync(join(directory, name));
    return new Date(0);
  };
  assert.deepEqual(await removeStaleRepositoryLocks({ ...git, clock: { ...git.clock, now } }, repository), []);
  assert.deepEqual(readdirSync(directory), []);
});

test('a missing storage has no stale locks', async (t) => {
  const { git } = await createGitWorld(t);
  const other = createGit({ storages: { default: '/nonexistent/storage' }, clock: git.clock });
  assert.deepEqual(await removeStaleLocks(other), []);
});
