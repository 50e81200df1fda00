import { LRUCache } from 'lru-cache';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';
import { cachePerCommit, definePerGit, type Git } from '../git.ts';
import { EMPTY_TREE_ID } from '../objects/object-reader.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { type GitChild, runGit, spawnGit } from '../process/spawn.ts';
import { type OutputStream, streamOutput } from '../process/stream-pipes.ts';
import type { Repository } from '../repository.ts';
import { createPatchReader, type Diff, type DiffLimits } from './patch-reader.ts';

export type { Diff, FileDiff } from './patch-reader.ts';

/** Limits of diffs (contract/repository.md §8). */
const DIFF_LIMITS: DiffLimits = {
  files: 1000,
  lines: 50_000,
  fileBytes: 200 * 1024,
  bytes: 5 * 1000 * 1024,
};

/** Limits of full diffs, which a server can still hold in memory. */
const FULL_DIFF_LIMITS: DiffLimits = {
  files: 3 * DIFF_LIMITS.files,
  lines: 4 * DIFF_LIMITS.lines,
  fileBytes: 5 * DIFF_LIMITS.fileBytes,
  bytes: 2 * DIFF_LIMITS.bytes,
};

const diffCache = definePerGit(
  () => new LRUCache<string, Diff>({ maxSize: 16 * 1024 * 1024, sizeCalculation: estimateSize }),
);
const diffLimiter = definePerGit((git) =>
  createConcurrencyLimiter(git.limits.maxHistoryWalks, { maxWaiting: 256, retryAfterSeconds: 10 }),
);

/**
 * Returns the diff between two commits or trees, with renames. `from` null compares with an empty tree. Cached by the
 * two ids.
 */
export function getDiff(git: Git, repository: Repository, from: string | null, to: string): Promise<Diff> {
  return getCachedDiff(git, repository, { from, to, limits: DIFF_LIMITS });
}

/** As `getDiff`, with much higher limits. */
export function getFullDiff(git: Git, repository: Repository, from: string | null, to: string): Promise<Diff> {
  return getCachedDiff(git, repository, { from, to, limits: FULL_DIFF_LIMITS });
}

interface DiffRequest {
  readonly from: string | null;
  readonly to: string;
  readonly limits: DiffLimits;
}

async function getCachedDiff(git: Git, repository: Repository, { from, to, limits }: DiffRequest): Promise<Diff> {
  const key = `${repository.directory} ${from} ${to} ${limits.files}`;
  const cachedDiff = diffCache(git).get(key);
  if (cachedDiff !== undefined) return cachedDiff;
  return coalesce(git, `diff ${key}`, async (shared) => {
    const compute = () => computeDiff(shared, repository, { from: from ?? EMPTY_TREE_ID, to, limits });
    const diff = await diffLimiter(git).run(compute, shared);
    diffCache(git).set(key, diff);
    return diff;
  });
}

const PATCH_FLAGS = [
  '-r',
  '-z',
  '--raw',
  '--patch',
  '--full-index',
  '--find-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
];

async function computeDiff(
  git: Git,
  repository: Repository,
  { from, to, limits }: DiffRequest & { readonly from: string },
): Promise<Diff> {
  const reader = createPatchReader(limits);
  const child = spawnGit(git, repository, 'diff-tree', { flags: PATCH_FLAGS, args: [from, to] });
  child.stdin.end();
  let isComplete = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isComplete || reader.write(chunk)) return;
    isComplete = true;
    child.kill();
  });
  const exit = await child.done;
  if (!exit.ok && !isComplete) throw new GitError('diff-tree', exit.failure);
  return reader.end();
}

function estimateSize(diff: Diff): number {
  return diff.files.reduce((sum, file) => sum + file.text.length * 2 + file.newPath.length * 2 + 400, 100);
}

interface DiffStats {
  readonly additions: number;
  readonly deletions: number;
  readonly total: number;
}

/** Returns the numbers of lines that commits add and delete, relative to their first parent (a root: to nothing). */
export const getDiffStats = cachePerCommit(20_000, computeStats);

async function computeStats(
  git: Git,
  repository: Repository,
  commits: readonly string[],
): Promise<Map<string, DiffStats>> {
  const flags = [
    '--no-walk=unsorted',
    '--stdin',
    '--format=%x01%H',
    '--shortstat',
    '--find-renames',
    '--diff-merges=first-parent',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const input = commits.map((id) => `${id}\n`).join('');
  const result = await diffLimiter(git).run(() => runGit(git, repository, 'log', { flags }, { input }), git);
  if (!result.ok) throw new GitError('log', result.failure);
  return parseShortstat(result.stdout.toString('latin1'));
}

/**
 * Parses `\x01<id>`, an empty line and ` 3 files changed, 10 insertions(+), 1 deletion(-)`. The last is absent if
 * nothing changed.
 */
function parseShortstat(text: string): Map<string, DiffStats> {
  const statsByCommit = new Map<string, DiffStats>();
  for (const section of text.split('\x01').slice(1)) {
    const additions = Number(/ (\d{1,15}) insertion/.exec(section)?.[1] ?? 0);
    const deletions = Number(/ (\d{1,15}) deletion/.exec(section)?.[1] ?? 0);
    statsByCommit.set(section.slice(0, 40), { additions, deletions, total: additions + deletions });
  }
  return statsByCommit;
}

// Diffs in git's own text format.

const TEXT_FLAGS = ['--find-renames', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short'];

/** Quotes names as `git diff` does by default. */
const PATCH_CONFIG = { 'core.quotePath': 'true' };

/** Streams the output of `git diff --binary <from> <to>`, whole. `from` null compares with an empty tree. */
export function streamRawDiff(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<OutputStream> {
  const invocation = { flags: ['--binary', ...TEXT_FLAGS], args: [from ?? EMPTY_TREE_ID, to] };
  return stream(spawnGit(git, repository, 'diff', invocation, { config: PATCH_CONFIG }));
}

/**
 * Streams the commits of `to` that `from` lacks as mails, oldest first, for `git am`; merge commits are left out. `from` null means
 * all commits.
 */
export function streamPatchMails(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<OutputStream> {
  const range = from === null ? { flags: ['--root'], args: [to] } : { flags: [], args: [`${from}..${to}`] };
  const flags = ['--stdout', '--no-signature', ...TEXT_FLAGS, ...range.flags];
  return stream(spawnGit(git, repository, 'format-patch', { ...range, flags }, { config: PATCH_CONFIG }));
}

function stream(child: GitChild): Promise<OutputStream> {
  child.stdin.end();
  return streamOutput(child);
}

/** Maximum size of a patch whose id is computed. */
const MAX_PATCH = 32 * 1024 * 1024;

/** Returns `git patch-id --stable` of a change, which is equal for equal changes; null if nothing changed. */
export async function computePatchId(
  git: Git,
  repository: Repository,
  from: string | null,
  to: string,
): Promise<string | null> {
  const invocation = { flags: ['-r', '--patch', '--full-index', ...TEXT_FLAGS], args: [from ?? EMPTY_TREE_ID, to] };
  const patch = await runGit(git, repository, 'diff-tree', invocation, { maxOutputBytes: MAX_PATCH });
  if (!patch.ok) throw new GitError('diff-tree', patch.failure);
  if (patch.stdout.length === 0) return null;
  const patchId = await runGit(git, repository, 'patch-id', { flags: ['--stable'] }, { input: patch.stdout });
  if (!patchId.ok) throw new GitError('patch-id', patchId.failure);
  return /^[0-9a-f]{40}/.exec(patchId.stdout.toString('latin1'))?.[0] ?? null;
}
