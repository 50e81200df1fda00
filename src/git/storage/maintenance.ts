import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { output, run } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists } from './storage.ts';

/*
 * All of this may run while others read and push: git replaces packs, graphs and packed refs by renaming, new objects
 * are never touched, and what nobody reaches any more stays two weeks, longer than any push or merge takes.
 */
const KEEP_UNREACHABLE = '2.weeks.ago';

/** Above these a repository gets slower to read. */
const MANY_LOOSE_OBJECTS = 1000;
const MANY_PACKS = 20;
const MANY_LOOSE_REFS = 500;

interface Need {
  readonly commitGraph: boolean;
  readonly packRefs: boolean;
  /** `full` also sorts out what nobody reaches any more. */
  readonly repack: 'incremental' | 'full' | null;
}

/** What upkeep would help this repository; a few directory listings. `full` is the caller's schedule to ask for. */
export async function needsUpkeep(repository: Repository): Promise<Need> {
  if (!(await repositoryExists(repository))) return { commitGraph: false, packRefs: false, repack: null };
  const [loose, packs, refs, graph] = await Promise.all([
    countLooseObjects(repository),
    countPacks(repository),
    countLooseRefs(repository),
    graphIsOld(repository),
  ]);
  return {
    commitGraph: graph,
    packRefs: refs > MANY_LOOSE_REFS,
    repack: loose > MANY_LOOSE_OBJECTS || packs > MANY_PACKS ? 'incremental' : null,
  };
}

/** History walks and `last commit of a path` read this instead of commits and trees (repository.md §8). */
export async function writeCommitGraph(git: Git, repository: Repository): Promise<void> {
  // Added to the last one as a new layer, so that it costs what the last pushes brought.
  const flags = ['--reachable', '--changed-paths', '--split', '--no-progress'];
  await output(git, repository, 'commit-graph write', { flags });
}

export async function packRefs(git: Git, repository: Repository): Promise<void> {
  await output(git, repository, 'pack-refs', { flags: ['--all'] });
}

/**
 * `incremental`: loose objects and small packs become one pack, each pack stays at least twice as large as all smaller
 * ones together. `full`: one pack with a bitmap; what nobody reaches goes to a pack of its own, and after two weeks away.
 */
export async function repack(git: Git, repository: Repository, how: 'incremental' | 'full'): Promise<void> {
  const flags =
    how === 'incremental'
      ? ['--geometric=2', '-d', '-l', '-q', '--write-midx', '--write-bitmap-index']
      : ['--cruft', `--cruft-expiration=${KEEP_UNREACHABLE}`, '-d', '-l', '-q', '--write-bitmap-index'];
  await output(git, repository, 'repack', { flags });
  if (how === 'full') await output(git, repository, 'prune', { flags: [`--expire=${KEEP_UNREACHABLE}`] });
}

type Checked = { readonly ok: true } | { readonly ok: false; readonly problems: readonly string[] };

/** Reads every object and follows every reference, slow on purpose; of `connected` objects only those that others refer to. */
export async function fsck(git: Git, repository: Repository, how: 'full' | 'connected' = 'full'): Promise<Checked> {
  const flags = [how === 'full' ? '--full' : '--connectivity-only', '--no-dangling', '--no-progress'];
  const result = await run(git, repository, 'fsck', { flags });
  // What is behind the ends of a history that was cut off git does not miss.
  const isCutOff = (await stat(join(repository.directory, 'shallow')).catch(() => null)) !== null;
  if (result.ok) return isCutOff ? { ok: false, problems: ['the history is shallow'] } : { ok: true };
  const { failure } = result;
  if (failure.kind !== 'failed' && failure.kind !== 'corrupt') throw new GitFailed('fsck', failure);
  const problems = `${result.stdout.toString('utf8')}\n${failure.text}`.split('\n').filter((line) => line !== '');
  return { ok: false, problems };
}

/** From one of the 256 folders, which are filled evenly. */
async function countLooseObjects(repository: Repository): Promise<number> {
  return (await namesIn(join(repository.directory, 'objects', '17'))).length * 256;
}

async function countPacks(repository: Repository): Promise<number> {
  const names = await namesIn(join(repository.directory, 'objects', 'pack'));
  return names.filter((name) => name.endsWith('.pack')).length;
}

async function countLooseRefs(repository: Repository): Promise<number> {
  const entries = await readdir(join(repository.directory, 'refs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** Whether objects came after the newest layer of the commit graph. */
async function graphIsOld(repository: Repository): Promise<boolean> {
  const objects = join(repository.directory, 'objects');
  const folders = (await namesIn(objects)).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name));
  const newest = Math.max(0, ...(await Promise.all(folders.map((name) => modified(join(objects, name))))));
  const graph = await modified(join(objects, 'info', 'commit-graphs', 'commit-graph-chain'));
  return newest > graph;
}

async function modified(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
