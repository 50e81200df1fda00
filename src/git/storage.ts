import { createHash, randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git } from './git.ts';
import { HEADS } from './names.ts';
import type { Repository } from './repository.ts';

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
  if (await repositoryExists(repository)) return;
  const parent = dirname(repository.directory);
  await makeDirectories(parent);
  const draft = join(parent, `tmp-${randomUUID()}.git`);
  try {
    await furnish(draft, options.defaultBranch);
    await rename(draft, repository.directory);
    await syncDirectory(parent);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await repositoryExists(repository))) throw error;
  }
}

/** Ends the idle processes of a repository whose directory is about to be moved, replaced or removed. */
function leaveRepository(git: Git, repository: Repository): void {
  for (const leave of git.leaving) leave(repository);
}

/** Removes the repository with all that it holds. An absent one is fine. */
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
  await rm(doomed, { recursive: true, force: true });
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

async function makeDirectories(directory: string): Promise<void> {
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
