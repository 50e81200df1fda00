import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrorCode } from '#runtime/failure.ts';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { readGitOutput, runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists } from './storage.ts';

/*
 * Maintenance may run during reads and pushes. git replaces packs, graphs and packed refs by renaming, and never
 * touches new objects. Unreachable objects stay for two weeks, longer than any push or merge.
 */
const UNREACHABLE_EXPIRY = '2.weeks.ago';

/** Numbers above which reads become slower. */
const MANY_LOOSE_OBJECTS = 1000;
const MANY_PACKS = 20;
const MANY_LOOSE_REFS = 500;

/** Bytes of a pack from which each clone should count its objects by a bitmap. */
const LARGE_PACK_BYTES = 4 * 1024 * 1024;

interface MaintenanceNeeds {
  readonly commitGraph: boolean;
  readonly packRefs: boolean;
  /** `full` also removes unreachable objects. */
  readonly repack: 'incremental' | 'full' | null;
}

/**
 * Returns the maintenance that a repository needs. Costs a few directory listings. Never returns `full`, which the
 * caller schedules.
 */
export async function getMaintenanceNeeds(repository: Repository): Promise<MaintenanceNeeds> {
  if (!(await repositoryExists(repository))) return { commitGraph: false, packRefs: false, repack: null };
  const [looseObjectCount, packs, looseRefCount, isOutdatedGraph] = await Promise.all([
    countLooseObjects(repository),
    inspectPacks(repository),
    countLooseRefs(repository),
    isGraphOutdated(repository),
  ]);
  return {
    commitGraph: isOutdatedGraph,
    packRefs: looseRefCount > MANY_LOOSE_REFS,
    repack:
      looseObjectCount > MANY_LOOSE_OBJECTS || packs.count > MANY_PACKS || packs.lackBitmap ? 'incremental' : null,
  };
}

/** Writes the commit graph, which speeds up history walks and `last commit of a path` (contract/repository.md §8). */
export async function writeCommitGraph(git: Git, repository: Repository): Promise<void> {
  // Adds a new layer, so that the cost depends on the last pushes only.
  const flags = ['--reachable', '--changed-paths', '--split', '--no-progress'];
  await readGitOutput(git, repository, 'commit-graph write', { flags });
}

/** Packs all refs into one file, so that listing reads one file. */
export async function packRefs(git: Git, repository: Repository): Promise<void> {
  await readGitOutput(git, repository, 'pack-refs', { flags: ['--all'] });
}

/**
 * Repacks a repository. `incremental` merges loose objects and small packs; each pack stays at least twice as large as
 * all smaller ones together. `full` writes one pack with a bitmap and a cruft pack of unreachable objects, which expire
 * after two weeks.
 */
export async function repack(git: Git, repository: Repository, mode: 'incremental' | 'full'): Promise<void> {
  const flags =
    mode === 'incremental'
      ? ['--geometric=2', '-d', '-l', '-q', '--write-midx', '--write-bitmap-index']
      : ['--cruft', `--cruft-expiration=${UNREACHABLE_EXPIRY}`, '-d', '-l', '-q', '--write-bitmap-index'];
  await readGitOutput(git, repository, 'repack', { flags });
  if (mode === 'full') await readGitOutput(git, repository, 'prune', { flags: [`--expire=${UNREACHABLE_EXPIRY}`] });
}

type FsckResult = { readonly ok: true } | { readonly ok: false; readonly problems: readonly string[] };

/** Checks all objects and references, which is slow. `connectivity` checks only that referenced objects exist. */
export async function fsck(
  git: Git,
  repository: Repository,
  mode: 'full' | 'connectivity' = 'full',
): Promise<FsckResult> {
  const flags = [mode === 'full' ? '--full' : '--connectivity-only', '--no-dangling', '--no-progress'];
  const result = await runGit(git, repository, 'fsck', { flags });
  // fsck accepts a shallow history; here its missing parents are a problem.
  const isShallow = (await stat(join(repository.directory, 'shallow')).catch(() => null)) !== null;
  if (result.ok) return isShallow ? { ok: false, problems: ['the history is shallow'] } : { ok: true };
  const { failure } = result;
  if (failure.kind !== 'failed' && failure.kind !== 'corrupt') throw new GitError('fsck', failure);
  const problems = `${result.stdout.toString('utf8')}\n${failure.text}`.split('\n').filter((line) => line !== '');
  return { ok: false, problems };
}

/** Estimates the number of loose objects from one of their 256 directories, which fill evenly. */
async function countLooseObjects(repository: Repository): Promise<number> {
  return (await listNames(join(repository.directory, 'objects', '17'))).length * 256;
}

/** Returns the number of packs, and whether a large one lacks a bitmap: its own, or that of the multi-pack index. */
async function inspectPacks(repository: Repository): Promise<{ readonly count: number; readonly lackBitmap: boolean }> {
  const directory = join(repository.directory, 'objects', 'pack');
  const names = await listNames(directory);
  const packs = names.filter((name) => name.endsWith('.pack')).map((name) => name.slice(0, -'.pack'.length));
  const multiPackIndexTimeMs = await getModifiedTimeMs(join(directory, 'multi-pack-index'));
  const lacksBitmap = async (pack: string) => {
    if (names.includes(`${pack}.bitmap`)) return false;
    const size = (await stat(join(directory, `${pack}.pack`)).catch(() => null))?.size ?? 0;
    // git touches a pack when it finds a new object in it, but never its index.
    return size >= LARGE_PACK_BYTES && (await getModifiedTimeMs(join(directory, `${pack}.idx`))) > multiPackIndexTimeMs;
  };
  return { count: packs.length, lackBitmap: (await Promise.all(packs.map(lacksBitmap))).includes(true) };
}

async function countLooseRefs(repository: Repository): Promise<number> {
  const entries = await readdir(join(repository.directory, 'refs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** Returns whether objects are newer than the newest layer of the commit graph. */
async function isGraphOutdated(repository: Repository): Promise<boolean> {
  const objectsDirectory = join(repository.directory, 'objects');
  const subdirectories = (await listNames(objectsDirectory)).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name));
  const newestObjectTimeMs = Math.max(
    0,
    ...(await Promise.all(subdirectories.map((name) => getModifiedTimeMs(join(objectsDirectory, name))))),
  );
  const graphTimeMs = await getModifiedTimeMs(join(objectsDirectory, 'info', 'commit-graphs', 'commit-graph-chain'));
  return newestObjectTimeMs > graphTimeMs;
}

async function getModifiedTimeMs(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

async function listNames(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

/** Returns the size of a repository's objects in bytes, loose and packed; 0 for a missing repository. */
export async function measureObjects(repository: Repository): Promise<number> {
  return measureDirectory(join(repository.directory, 'objects'));
}

/** Returns the size of a directory in bytes. Reads one directory at a time, to limit the load. */
async function measureDirectory(directory: string): Promise<number> {
  let size = 0;
  for (const entry of await fallbackIfMissing(readdir(directory, { withFileTypes: true }), [])) {
    const path = join(directory, entry.name);
    size += entry.isDirectory()
      ? await measureDirectory(path)
      : (await fallbackIfMissing(stat(path), { size: 0 })).size;
  }
  return size;
}

/** Returns the fallback for a missing file: maintenance and pushes may remove files meanwhile. */
async function fallbackIfMissing<T, Else>(result: Promise<T>, fallback: Else): Promise<T | Else> {
  try {
    return await result;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return fallback;
    throw error;
  }
}
