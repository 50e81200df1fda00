import { LRUCache } from 'lru-cache';
import { gate } from '#runtime/concurrency-limiter.ts';
import { rememberedOfCommits } from '../commits/commit-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { emptyTree } from '../objects/object-reader.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { run, stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { createPatchReader, type Diff, type DiffLimits } from './patch-reader.ts';

export type { Diff, DiffLimits, FileDiff } from './patch-reader.ts';

/** repository.md §8. */
export const diffLimits: DiffLimits = {
  files: 1000,
  lines: 50_000,
  fileBytes: 200 * 1024,
  bytes: 5 * 1000 * 1024,
};

/** For whoever wants it uncut: what no one has read through, and a server can still hold. */
const wholeLimits: DiffLimits = {
  files: 3 * diffLimits.files,
  lines: 4 * diffLimits.lines,
  fileBytes: 5 * diffLimits.fileBytes,
  bytes: 2 * diffLimits.bytes,
};

const diffs = ownedBy(() => new LRUCache<string, Diff>({ maxSize: 16 * 1024 * 1024, sizeCalculation: sizeOf }));
const running = ownedBy((git) => gate(git.limits.walks, { waiting: 256, retryAfter: 10 }));

/**
 * What changed from one commit or tree to another, renames found. `from` null: everything is new. Remembered by the
 * two ids.
 */
export function diffBetween(git: Git, repository: Repository, from: string | null, to: string): Promise<Diff> {
  return rememberedDiff(git, repository, { from, to, limits: diffLimits });
}

/** The same with the limits so far away that hardly anything is cut. */
export function wholeDiffBetween(git: Git, repository: Repository, from: string | null, to: string): Promise<Diff> {
  return rememberedDiff(git, repository, { from, to, limits: wholeLimits });
}

interface Wanted {
  readonly from: string | null;
  readonly to: string;
  readonly limits: DiffLimits;
}

async function rememberedDiff(git: Git, repository: Repository, { from, to, limits }: Wanted): Promise<Diff> {
  const key = `${repository.directory} ${from} ${to} ${limits.files}`;
  const known = diffs(git).get(key);
  if (known !== undefined) return known;
  return together(git, `diff ${key}`, async (shared) => {
    const compute = () => computeDiff(shared, repository, { from: from ?? emptyTree, to, limits });
    const diff = await running(git).enter(compute, shared);
    diffs(git).set(key, diff);
    return diff;
  });
}

const patchFlags = [
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
  { from, to, limits }: Wanted & { readonly from: string },
): Promise<Diff> {
  const reader = createPatchReader(limits);
  const child = stream(git, repository, 'diff-tree', { flags: patchFlags, args: [from, to] });
  child.stdin.end();
  let enough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (enough || reader.write(chunk)) return;
    enough = true;
    child.kill();
  });
  const ended = await child.done;
  if (!ended.ok && !enough) throw new GitFailed('diff-tree', ended.failure);
  return reader.end();
}

function sizeOf(diff: Diff): number {
  return diff.files.reduce((sum, file) => sum + file.text.length * 2 + file.newPath.length * 2 + 400, 100);
}

interface DiffStats {
  readonly additions: number;
  readonly deletions: number;
  readonly total: number;
}

/** Lines that commits add and delete, each against its first parent (a root: against nothing). */
export const diffStats = rememberedOfCommits(20_000, computeStats);

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
  const result = await running(git).enter(() => run(git, repository, 'log', { flags }, { input }), git);
  if (!result.ok) throw new GitFailed('log', result.failure);
  return readShortstat(result.stdout.toString('latin1'));
}

/** `\x01<id>`, an empty line and ` 3 files changed, 10 insertions(+), 1 deletion(-)`; without the latter nothing changed. */
function readShortstat(text: string): Map<string, DiffStats> {
  const found = new Map<string, DiffStats>();
  for (const section of text.split('\x01').slice(1)) {
    const additions = Number(/ (\d{1,15}) insertion/.exec(section)?.[1] ?? 0);
    const deletions = Number(/ (\d{1,15}) deletion/.exec(section)?.[1] ?? 0);
    found.set(section.slice(0, 40), { additions, deletions, total: additions + deletions });
  }
  return found;
}
