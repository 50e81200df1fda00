import { createHash, randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { isHeld } from '#runtime/deletion-guard.ts';
import type { Git } from '../git.ts';
import { HEADS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';

/** Where the repository of this id (a project's, a wiki's...) lies inside a storage: never reused, evenly spread. */
export function diskPathFor(id: string | number): string {
  const hash = createHash('sha256').update(String(id)).digest('hex');
  return `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}.git`;
}

/** Why nothing can be kept in this storage at present, without its path; null: it can. It is made when it is not there. */
export async function storageTrouble(git: Git, storage: string): Promise<string | null> {
  const directory = git.storages[storage];
  if (directory === undefined) return 'There is no such storage';
  try {
    await makeDirectories(directory);
    await access(directory, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `The storage cannot be used: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** Whether the directory exists. One that does not reads as an empty repository. */
export async function repositoryExists(repository: Repository): Promise<boolean> {
  return (await stat(join(repository.directory, 'HEAD')).catch(() => null)) !== null;
}

/**
 * Makes the repository if it does not exist, with HEAD at `defaultBranch` (valid, without `refs/heads/`). Durable when
 * it returns. It is put together beside its place and renamed into it, so nobody ever sees a half one; of two at once
 * one wins and both return.
 */
export async function ensureRepository(repository: Repository, options: { defaultBranch: string }): Promise<void> {
  await makeRepository(repository, options, async () => {});
}

/** The same with what `fill` puts into it before anybody sees it; where that fails there is no repository. */
export async function makeRepository(
  repository: Repository,
  options: { defaultBranch: string },
  fill: (draft: Repository) => Promise<void>,
): Promise<void> {
  if (await repositoryExists(repository)) return;
  const parent = dirname(repository.directory);
  await makeDirectories(parent);
  const draft = join(parent, `tmp-${randomUUID()}.git`);
  try {
    await furnish(draft, options.defaultBranch);
    await fill({ directory: draft });
    await rename(draft, repository.directory);
    await syncDirectory(parent);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await repositoryExists(repository))) throw error;
  }
}

/** Ends the idle processes of a repository whose directory is about to be moved, replaced or removed. */
export function leaveRepository(git: Git, repository: Repository): void {
  for (const leave of git.leaving) leave(repository);
}

/**
 * Does any process of this server read from the repository, or write to it? Whoever does not wait for that and removes it
 * breaks off clones. Pushes don't count: what becomes of them is decided when all of them has come.
 */
export function isInUse(git: Git, { directory }: Repository): boolean {
  return git.processes.children
    .values()
    .some((child) => child.directory === directory && child.command !== 'receive-pack');
}

/**
 * Removes the repository with all that it holds. An absent one is fine. While somebody copies the storage it only goes out of
 * sight: whoever copies, or the next start, removes the rest.
 */
export async function removeRepository(git: Git, repository: Repository): Promise<void> {
  leaveRepository(git, repository);
  const doomed = `${repository.directory}.${randomUUID()}.removed`;
  try {
    // First out of sight in one step, then piece by piece.
    await rename(repository.directory, doomed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await syncDirectory(dirname(repository.directory));
  const root = Object.values(git.storages).find((storage) => doomed.startsWith(storage + sep));
  if (root !== undefined && (await isHeld(root, git.clock))) return;
  await rm(doomed, { recursive: true, force: true });
}

/** Where what was removed of this repository still lies, because the storage is held. */
export async function removedRepositories({ directory }: Repository): Promise<Repository[]> {
  const names = await readdir(dirname(directory)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(directory)}.`) && name.endsWith('.removed'))
    .map((name) => ({ directory: join(dirname(directory), name) }));
}

const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
`;

async function furnish(directory: string, defaultBranch: string): Promise<void> {
  await mkdir(directory);
  const innermost = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];
  await Promise.all([
    ...innermost.map((name) => mkdir(join(directory, name), { recursive: true })),
    writeDurably(join(directory, 'config'), config),
    writeDurably(join(directory, 'HEAD'), `ref: ${HEADS}${defaultBranch}\n`),
  ]);
  await Promise.all(['objects', 'refs', ''].map((name) => syncDirectory(join(directory, name))));
}

async function writeDurably(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(content);
  await file.sync();
}

/** Makes a directory with all above it that are missing, durably. */
export async function makeDirectories(directory: string): Promise<void> {
  const highest = await mkdir(directory, { recursive: true });
  if (highest === undefined) return;
  const made = [dirname(highest)];
  for (let at = directory; at.length >= highest.length; at = dirname(at)) made.push(at);
  await Promise.all(made.map(syncDirectory));
}

/** Makes what was created in, renamed into or removed from a directory survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(directory, 'r');
    await handle.sync();
  } finally {
    await handle?.close();
  }
}
