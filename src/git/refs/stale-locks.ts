import { randomUUID } from 'node:crypto';
import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isHeld } from '#runtime/deletion-guard.ts';
import type { Git } from '../git.ts';
import { type CommandName, commands } from '../process/commands.ts';
import type { Repository } from '../repository.ts';
import { refTurns } from './ref-lock.ts';
import { validRefName } from './refs.ts';

/*
 * Locks that nobody holds any more: their process has died, or the machine. Another process of Hearth may be at work in
 * the same repository, but no command of it holds a lock for longer than it may run: what is older is nobody's.
 */

/** Seconds that a command may be late in ending. */
const LATE = 60;

interface LockPlace {
  readonly below: string;
  readonly heldBy: readonly CommandName[];
}

/** Where locks stand, and who takes them. A push takes those of its refs when all has been received and checked. */
const places = [
  { below: '', heldBy: ['update-ref', 'symbolic-ref', 'pack-refs'] },
  { below: 'refs', heldBy: ['update-ref', 'pack-refs'] },
  { below: join('objects', 'info'), heldBy: ['commit-graph write'] },
  { below: join('objects', 'pack'), heldBy: ['repack'] },
] as const satisfies LockPlace[];

/** Seconds after which a half-made or half-removed repository is nobody's: making one takes a moment. */
const DRAFT = 10 * 60;

/** At start: removes what nobody holds from all storages, half-made and half-removed repositories too. Returns the paths. */
export async function removeStaleLocks(git: Git): Promise<string[]> {
  const removed: string[] = [];
  for (const root of Object.values(git.storages)) {
    const held = await isHeld(root, git.clock);
    for await (const directory of directoriesOfRepositories(root)) {
      if (/\/tmp-[^/]*\.git$|\.removed$/.test(directory)) {
        if (!held) await removeDraft(git, directory, removed);
      } else removed.push(...(await removeLocksIn(git, directory)));
    }
  }
  return removed;
}

/**
 * The same in one repository, in its turn, for whoever is about to work on it: after a machine has lost its power the locks
 * are too young to be removed when the server starts again. Returns the removed paths. Throws `QueueFull`.
 */
export function removeStaleLocksOf(git: Git, { directory }: Repository): Promise<string[]> {
  return refTurns(git)(directory, () => removeLocksIn(git, directory));
}

/** Removes what is in the way of a move of these refs and held by nobody, for whoever has the repository's turn. */
export async function removeStaleLocksOfRefs(
  git: Git,
  { directory }: Repository,
  refs: readonly string[],
): Promise<void> {
  const [top, loose] = places;
  for (const name of ['HEAD', 'packed-refs']) await removeLockIfOlder(git, join(directory, `${name}.lock`), age(top));
  for (const ref of refs.filter(validRefName)) await removeLockIfOlder(git, join(directory, `${ref}.lock`), age(loose));
}

/** Removes what was only put out of sight while storages were held, for whoever has held them. */
export async function removeRemains(git: Git): Promise<void> {
  for (const root of Object.values(git.storages)) {
    if (await isHeld(root, git.clock)) continue;
    for await (const directory of directoriesOfRepositories(root)) {
      if (directory.endsWith('.removed')) await rm(directory, { recursive: true, force: true });
    }
  }
}

async function removeLocksIn(git: Git, directory: string): Promise<string[]> {
  const removed: string[] = [];
  for (const place of places) {
    for (const path of await locksBelow(directory, place.below)) {
      if (await removeLockIfOlder(git, path, age(place))) removed.push(path);
    }
  }
  return removed;
}

const age = ({ heldBy }: LockPlace) => Math.max(...heldBy.map((name) => commands[name].seconds)) + LATE;

async function removeDraft(git: Git, path: string, removed: string[]): Promise<void> {
  if (!(await isOlder(git, path, DRAFT))) return;
  await rm(path, { recursive: true, force: true });
  removed.push(path);
}

/**
 * Another process may be removing the same lock, and a git of today take a new one of its name just then. So what is removed
 * has a name that nobody else knows, and is looked at once more under it. git takes that name for no ref, and where it is
 * left behind the next look finds it.
 */
async function removeLockIfOlder(git: Git, path: string, seconds: number): Promise<boolean> {
  if (!(await isOlder(git, path, seconds))) return false;
  const aside = join(dirname(path), `.${randomUUID()}.lock`);
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const stale = await isOlder(git, aside, seconds);
  // Where a third one has taken the lock already it is his; one that is gone was old to another who removes locks.
  if (!stale) await link(aside, path).catch(unlessTakenOrGone);
  await rm(aside, { force: true });
  return stale;
}

async function isOlder(git: Git, path: string, seconds: number): Promise<boolean> {
  const status = await stat(path).catch(() => null);
  return status !== null && git.clock.now().getTime() - status.mtimeMs >= seconds * 1000;
}

function unlessTakenOrGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error;
}

async function locksBelow(directory: string, below: string): Promise<string[]> {
  const found = await readdir(join(directory, below), { recursive: below !== '', withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** All that lies in a storage where repositories do, drafts and remains among them. */
export async function* directoriesOfRepositories(root: string): AsyncGenerator<string> {
  const hashed = join(root, '@hashed');
  for (const first of await names(hashed)) {
    for (const second of await names(join(hashed, first))) {
      for (const name of await names(join(hashed, first, second))) yield join(hashed, first, second, name);
    }
  }
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
