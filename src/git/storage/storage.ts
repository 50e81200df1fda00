import { createHash, randomUUID } from 'node:crypto';
import { access, constants, type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { hasDeletionGuard } from '#runtime/deletion-guard.ts';
import { hasErrorCode } from '#runtime/failure.ts';
import type { Git } from '../git.ts';
import { HEADS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';

/**
 * Returns the path of a repository inside a storage, by the id of its owner (project, wiki...). A path is never reused;
 * paths are evenly distributed.
 */
export function toDiskPath(id: string | number): string {
  const hash = createHash('sha256').update(String(id)).digest('hex');
  return `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}.git`;
}

/** Returns whether a path has the form of a repository path inside a storage, `@hashed/ab/cd/<hash>.git`. */
export function isDiskPath(path: string): boolean {
  return /^@hashed\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}\.git$/.test(path);
}

/** Returns why a storage cannot be used (without its path), or null. Creates its directory if missing. */
export async function checkStorage(git: Git, storage: string): Promise<string | null> {
  const directory = git.storages[storage];
  if (directory === undefined) return 'There is no such storage';
  try {
    await createDirectories(directory);
    await access(directory, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `The storage cannot be used: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** Returns whether the repository exists. A missing one reads as empty. */
export async function repositoryExists(repository: Repository): Promise<boolean> {
  return (await stat(join(repository.directory, 'HEAD')).catch(() => null)) !== null;
}

/**
 * Creates the repository if it does not exist, with HEAD at `defaultBranch` (valid, without `refs/heads/`). Durable when it
 * returns. It is created next to its path and renamed, so that it is never visible incomplete. If two calls run at the same
 * time, one creates the repository and both return.
 */
export async function ensureRepository(repository: Repository, options: { defaultBranch: string }): Promise<void> {
  await createRepository(repository, options, async () => {});
}

/**
 * As `ensureRepository`, with content: `fill` gets the draft, a repository under a temporary name that is renamed when
 * it is complete. If `fill` fails, no repository is created.
 */
export async function createRepository(
  repository: Repository,
  options: { defaultBranch: string },
  fill: (draft: Repository) => Promise<void>,
): Promise<void> {
  if (await repositoryExists(repository)) return;
  const parent = dirname(repository.directory);
  await createDirectories(parent);
  const draftDirectory = join(parent, `tmp-${randomUUID()}.git`);
  try {
    await initRepository(draftDirectory, options.defaultBranch);
    await fill({ directory: draftDirectory });
    await rename(draftDirectory, repository.directory);
    await syncDirectory(parent);
  } catch (error) {
    await rm(draftDirectory, { recursive: true, force: true });
    // The rename also fails if a concurrent call has created the repository.
    if (!(await repositoryExists(repository))) throw error;
  }
}

/**
 * Replaces a repository by a new one, which `fill` completes as a draft. If `fill` fails, the repository does not
 * change. The draft has one name per repository: the next attempt deletes the draft of a process that died.
 */
export async function replaceRepository(
  git: Git,
  repository: Repository,
  options: { defaultBranch: string },
  fill: (draft: Repository) => Promise<void>,
): Promise<void> {
  const parent = dirname(repository.directory);
  await createDirectories(parent);
  const draftDirectory = join(parent, `tmp-${basename(repository.directory)}`);
  await rm(draftDirectory, { recursive: true, force: true });
  // A starting process deletes drafts whose modification time is older than ten minutes.
  const touch = () => utimes(draftDirectory, git.clock.now(), git.clock.now()).catch(() => {});
  const timer = setInterval(touch, 60_000);
  try {
    await initRepository(draftDirectory, options.defaultBranch);
    await fill({ directory: draftDirectory });
    await deleteRepository(git, repository);
    await rename(draftDirectory, repository.directory);
    await syncDirectory(parent);
  } catch (error) {
    releaseRepository(git, { directory: draftDirectory });
    await rm(draftDirectory, { recursive: true, force: true });
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Stops the idle processes of a repository whose directory is about to be moved, replaced or removed. */
export function releaseRepository(git: Git, repository: Repository): void {
  for (const stopProcesses of git.releaseHooks) stopProcesses(repository);
}

/**
 * Returns whether a process of this server reads from or writes to the repository. Deleting it meanwhile would abort
 * clones. Pushes do not count: their checks run when everything has been received.
 */
export function isRepositoryInUse(git: Git, { directory }: Repository): boolean {
  return git.processes.children
    .values()
    .some((child) => child.directory === directory && child.command !== 'receive-pack');
}

/**
 * Deletes the repository. A missing one is not an error. While the storage has a deletion guard it is only renamed; the
 * guard's owner or the next start deletes it.
 */
export async function deleteRepository(git: Git, repository: Repository): Promise<void> {
  releaseRepository(git, repository);
  const removedDirectory = `${repository.directory}.${randomUUID()}.removed`;
  try {
    // Rename first, so that it disappears immediately.
    await rename(repository.directory, removedDirectory);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return;
    throw error;
  }
  await syncDirectory(dirname(repository.directory));
  const root = Object.values(git.storages).find((storage) => removedDirectory.startsWith(storage + sep));
  if (root !== undefined && (await hasDeletionGuard(root, git.clock))) return;
  await rm(removedDirectory, { recursive: true, force: true });
}

/** Returns the renamed directories of this repository that a deletion guard still retains. */
export async function listRemovedRepositories({ directory }: Repository): Promise<Repository[]> {
  const names = await readdir(dirname(directory)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(directory)}.`) && name.endsWith('.removed'))
    .map((name) => ({ directory: join(dirname(directory), name) }));
}

const CONFIG_FILE = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
`;

async function initRepository(directory: string, defaultBranch: string): Promise<void> {
  await mkdir(directory);
  const subdirectories = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];
  await Promise.all([
    ...subdirectories.map((name) => mkdir(join(directory, name), { recursive: true })),
    writeDurably(join(directory, 'config'), CONFIG_FILE),
    writeDurably(join(directory, 'HEAD'), `ref: ${HEADS}${defaultBranch}\n`),
  ]);
  await Promise.all(['objects', 'refs', ''].map((name) => syncDirectory(join(directory, name))));
}

async function writeDurably(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(content);
  await file.sync();
}

/** Creates a directory and its missing parents, durably. */
export async function createDirectories(directory: string): Promise<void> {
  const topmostCreated = await mkdir(directory, { recursive: true });
  if (topmostCreated === undefined) return;
  const changedDirectories = [dirname(topmostCreated)];
  for (let current = directory; current.length >= topmostCreated.length; current = dirname(current))
    changedDirectories.push(current);
  await Promise.all(changedDirectories.map(syncDirectory));
}

/** Syncs a directory, so that created, renamed or removed entries survive a power failure. */
export async function syncDirectory(directory: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(directory, 'r');
    await handle.sync();
  } finally {
    await handle?.close();
  }
}

/**
 * Returns the directory of internal files next to the repositories: hooks, and the empty repositories that replace
 * missing ones.
 */
export function getInternalDirectory(git: Git): string {
  const root = git.storages.default ?? Object.values(git.storages)[0]!;
  return join(root, '.hearth');
}
