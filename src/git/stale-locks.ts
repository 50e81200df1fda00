import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandName, commands } from './commands.ts';
import type { Git } from './git.ts';
import type { Repository } from './repository.ts';

/*
 * Locks that nobody holds any more: their process has died, or the machine. Another process of Hearth may be at work in
 * the same repository, but no command of it holds a lock for longer than it may run: what is older is nobody's.
 */

/** Seconds that a command may be late in ending. */
const LATE = 60;

/** Where locks stand, and who takes them. A push takes those of its refs when all has been received and checked. */
const places: readonly { readonly below: string; readonly heldBy: readonly CommandName[] }[] = [
  { below: '', heldBy: ['update-ref', 'symbolic-ref', 'pack-refs'] },
  { below: 'refs', heldBy: ['update-ref', 'pack-refs'] },
  { below: join('objects', 'info'), heldBy: ['commit-graph write'] },
  { below: join('objects', 'pack'), heldBy: ['repack'] },
];

/** Seconds after which a half-made or half-removed repository is nobody's: making one takes a moment. */
const DRAFT = 10 * 60;

/** At start: removes what nobody holds from all storages, half-made and half-removed repositories too. Returns the paths. */
export async function removeStaleLocks(git: Git): Promise<string[]> {
  const removed: string[] = [];
  for (const root of Object.values(git.storages)) {
    for await (const directory of directoriesOfRepositories(root)) {
      if (/\/tmp-[^/]*\.git$|\.removed$/.test(directory)) await removeIfOlder(git, directory, DRAFT, removed);
      else removed.push(...(await removeLocksIn(git, directory)));
    }
  }
  return removed;
}

/**
 * The same in one repository, for whoever finds it locked or is about to work on it: after a machine has lost its power
 * the locks are too young to be removed when the server starts again. Returns the removed paths.
 */
export function removeStaleLocksOf(git: Git, { directory }: Repository): Promise<string[]> {
  return removeLocksIn(git, directory);
}

async function removeLocksIn(git: Git, directory: string): Promise<string[]> {
  const removed: string[] = [];
  for (const { below, heldBy } of places) {
    const seconds = Math.max(...heldBy.map((name) => commands[name].seconds)) + LATE;
    for (const path of await locksBelow(directory, below)) await removeIfOlder(git, path, seconds, removed);
  }
  return removed;
}

async function removeIfOlder(git: Git, path: string, seconds: number, removed: string[]): Promise<void> {
  const status = await stat(path).catch(() => null);
  if (status === null || git.clock.now().getTime() - status.mtimeMs < seconds * 1000) return;
  await rm(path, { recursive: true, force: true });
  removed.push(path);
}

async function locksBelow(directory: string, below: string): Promise<string[]> {
  const found = await readdir(join(directory, below), { recursive: below !== '', withFileTypes: true }).catch(() => []);
  return found
    .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
    .map(({ parentPath, name }) => join(parentPath, name));
}

async function* directoriesOfRepositories(root: string): AsyncGenerator<string> {
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
