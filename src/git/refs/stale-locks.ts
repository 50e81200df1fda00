import { randomUUID } from 'node:crypto';
import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { hasDeletionGuard } from '#runtime/deletion-guard.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import { definePerGit, type Git } from '../git.ts';
import { COMMANDS, type CommandName } from '../process/commands.ts';
import type { Repository } from '../repository.ts';
import { isValidRefName } from './refs.ts';

/*
 * Removes locks and temporary files of processes that no longer exist. Another Hearth process may work in the same repository, but no
 * command holds a lock for longer than its timeout. Older locks and temporary files are stale.
 */

/** Grace period in seconds after a command's timeout. */
const GRACE_SECONDS = 60;

interface LockLocation {
  readonly subdirectory: string;
  readonly commands: readonly CommandName[];
}

/**
 * Directories of locks and the commands that take them. A push locks its refs only after everything has been received
 * and checked.
 */
const LOCK_LOCATIONS = [
  { subdirectory: '', commands: ['update-ref', 'symbolic-ref', 'pack-refs'] },
  { subdirectory: 'refs', commands: ['update-ref', 'pack-refs'] },
  { subdirectory: join('objects', 'info'), commands: ['commit-graph write'] },
  { subdirectory: join('objects', 'pack'), commands: ['repack'] },
] as const satisfies LockLocation[];

/**
 * Commands that write packs: into `objects/pack`, or into a directory for the objects of a push. git leaves these files when it
 * fails or is killed.
 */
const PACK_WRITERS = ['repack', 'fetch', 'receive-pack', 'index-pack --stdin'] as const satisfies CommandName[];
const TEMPORARY_PACK_FILE = /^\.?tmp[-_]/;
const TEMPORARY_DIRECTORY = /^(?:tmp_objdir-)?incoming-/;

/** Seconds after which a partly created or deleted repository is stale. */
const DRAFT_MAX_AGE_SECONDS = 10 * 60;

/**
 * Removes stale locks, temporary files, and partly created or deleted repositories from all storages, at start. Returns the
 * removed paths.
 */
export async function removeStaleLocks(git: Git): Promise<string[]> {
  const removedPaths: string[] = [];
  for (const root of Object.values(git.storages)) {
    const isGuarded = await hasDeletionGuard(root, git.clock);
    for await (const directory of listRepositoryDirectories(root)) {
      if (/\/tmp-[^/]*\.git$|\.removed$/.test(directory)) {
        if (!isGuarded && (await removeIfOlder(git, directory, DRAFT_MAX_AGE_SECONDS))) removedPaths.push(directory);
      } else removedPaths.push(...(await removeLocksIn(git, directory)));
    }
  }
  return removedPaths;
}

/**
 * Removes stale locks and temporary files of one repository while holding its ref lock. After a power failure the locks are too young to be
 * removed at start. Returns the removed paths. Throws `QueueFull`.
 */
export function removeStaleRepositoryLocks(git: Git, { directory }: Repository): Promise<string[]> {
  return refLocks(git)(directory, () => removeLocksIn(git, directory));
}

/** Lists stale locks and temporary files of a repository. */
export async function listStaleFiles(git: Git, { directory }: Repository): Promise<string[]> {
  const stale: string[] = [];
  for await (const { path, seconds } of listRemovable(directory))
    if (await isOlder(git, path, seconds)) stale.push(path);
  return stale;
}

/**
 * Removes all temporary pack files of a repository. The caller ensures that no git command writes packs into it: a fetch has
 * failed, and nobody may push.
 */
export async function removeTemporaryPackFiles({ directory }: Repository): Promise<void> {
  for (const path of await listTemporaryFiles(directory)) await rm(path, { recursive: true, force: true });
}

/** Removes stale locks that block a move of these refs. The caller holds the repository's ref lock. */
export async function removeStaleRefLocks(git: Git, { directory }: Repository, refs: readonly string[]): Promise<void> {
  const [topLevel, refsDirectory] = LOCK_LOCATIONS;
  for (const name of ['HEAD', 'packed-refs'])
    await removeLockIfOlder(git, join(directory, `${name}.lock`), getMaxAgeSeconds(topLevel));
  for (const ref of refs.filter(isValidRefName))
    await removeLockIfOlder(git, join(directory, `${ref}.lock`), getMaxAgeSeconds(refsDirectory));
}

/** Deletes repositories that were only renamed while their storage had a deletion guard. */
export async function deleteRemovedRepositories(git: Git): Promise<void> {
  for (const root of Object.values(git.storages)) {
    if (await hasDeletionGuard(root, git.clock)) continue;
    for await (const directory of listRepositoryDirectories(root)) {
      if (directory.endsWith('.removed')) await rm(directory, { recursive: true, force: true });
    }
  }
}

async function removeLocksIn(git: Git, directory: string): Promise<string[]> {
  const removedPaths: string[] = [];
  for await (const { path, seconds, isLock } of listRemovable(directory)) {
    if (isLock ? await removeLockIfOlder(git, path, seconds) : await removeIfOlder(git, path, seconds))
      removedPaths.push(path);
  }
  return removedPaths;
}

interface Removable {
  readonly path: string;
  /** Age in seconds from which the file is stale. */
  readonly seconds: number;
  readonly isLock: boolean;
}

async function* listRemovable(directory: string): AsyncGenerator<Removable> {
  for (const location of LOCK_LOCATIONS) {
    for (const path of await listLocks(directory, location.subdirectory))
      yield { path, seconds: getMaxAgeSeconds(location), isLock: true };
  }
  const seconds = getMaxAgeSeconds({ subdirectory: '', commands: PACK_WRITERS });
  for (const path of await listTemporaryFiles(directory)) yield { path, seconds, isLock: false };
}

async function listTemporaryFiles(directory: string): Promise<string[]> {
  const objects = join(directory, 'objects');
  const pack = join(objects, 'pack');
  return [
    ...(await listNames(pack)).filter((name) => TEMPORARY_PACK_FILE.test(name)).map((name) => join(pack, name)),
    ...(await listNames(objects)).filter((name) => TEMPORARY_DIRECTORY.test(name)).map((name) => join(objects, name)),
  ];
}

const getMaxAgeSeconds = ({ commands }: LockLocation) =>
  Math.max(...commands.map((name) => COMMANDS[name].timeoutSeconds)) + GRACE_SECONDS;

async function removeIfOlder(git: Git, path: string, seconds: number): Promise<boolean> {
  if (!(await isOlder(git, path, seconds))) return false;
  await rm(path, { recursive: true, force: true });
  return true;
}

/**
 * Renames the lock to a unique name before it checks the age again. Another process may be removing the same lock, and
 * git may create a new one meanwhile. git ignores the new name, and a later run finds it.
 */
async function removeLockIfOlder(git: Git, path: string, seconds: number): Promise<boolean> {
  if (!(await isOlder(git, path, seconds))) return false;
  const renamedPath = join(dirname(path), `.${randomUUID()}.lock`);
  try {
    await rename(path, renamedPath);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
  const isStale = await isOlder(git, renamedPath, seconds);
  // The lock is restored, unless another process has taken a new one. If the file is missing, another process has
  // removed it.
  if (!isStale) await link(renamedPath, path).catch(ignoreTakenOrMissing);
  await rm(renamedPath, { force: true });
  return isStale;
}

async function isOlder(git: Git, path: string, seconds: number): Promise<boolean> {
  const status = await stat(path).catch(() => null);
  return status !== null && git.clock.now().getTime() - status.mtimeMs >= seconds * 1000;
}

function ignoreTakenOrMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
}

async function listLocks(directory: string, subdirectory: string): Promise<string[]> {
  const entries = await readdir(join(directory, subdirectory), {
    recursive: subdirectory !== '',
    withFileTypes: true,
  }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Yields all directories at the level of repositories in a storage, including drafts and removed ones. */
export async function* listRepositoryDirectories(root: string): AsyncGenerator<string> {
  const hashed = join(root, '@hashed');
  for (const first of await listNames(hashed)) {
    for (const second of await listNames(join(hashed, first))) {
      for (const name of await listNames(join(hashed, first, second))) yield join(hashed, first, second, name);
    }
  }
}

async function listNames(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Lock per repository for ref updates and stale lock removal, so that operations of this process never collide. */
export const refLocks = definePerGit(() => createKeyedLock({ maxWaiting: 512, retryAfterSeconds: 5 }));
