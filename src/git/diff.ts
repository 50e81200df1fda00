import { LRUCache } from 'lru-cache';
import { gate } from '../gate.ts';
import { GitFailed } from './failures.ts';
import { type Git, ownedBy } from './git.ts';
import { emptyTree } from './objects.ts';
import { createPatchReader, type Diff, type DiffLimits } from './patch.ts';
import { rememberedOfCommits } from './remembered-commits.ts';
import type { Repository } from './repository.ts';
import { run, stream } from './spawn.ts';
import { together } from './together.ts';

export type { Diff, DiffLimits, FileDiff } from './patch.ts';

/** repository.md §8. */
const diffLimits: DiffLimits = {
  files: 1000,
  lines: 50_000,
  fileBytes: 200 * 1024,
  bytes: 5 * 1000 * 1024,
};

const diffs = ownedBy(() => new LRUCache<string, Diff>({ maxSize: 16 * 1024 * 1024, sizeCalculation: sizeOf }));
const running = ownedBy((git) => gate(git.limits.walks));

/**
 * What changed from one commit or tree to another, renames found. `from` null: everything is new. Remembered by the
 * two ids.
 */
export async function diffBetween(git: Git, repository: Repository, from: string | null, to: string): Promise<Diff> {
  const key = `${repository.directory} ${from} ${to}`;
  const known = diffs(git).get(key);
  if (known !== undefined) return known;
  return together(git, `diff ${key}`, async (shared) => {
    const diff = await running(git).enter(() => computeDiff(shared, repository, from ?? emptyTree, to));
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

async function computeDiff(git: Git, repository: Repository, from: string, to: string): Promise<Diff> {
  const reader = createPatchReader(diffLimits);
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
    '--numstat',
    '-z',
    '--find-renames',
    '--diff-merges=first-parent',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const input = commits.map((id) => `${id}\n`).join('');
  const result = await running(git).enter(() => run(git, repository, 'log', { flags }, { input }));
  if (!result.ok) throw new GitFailed('log', result.failure);
  return readNumstat(result.stdout.toString('latin1'));
}

/** `\x01<id>`, then for each file `<added>\t<deleted>\t<path>`; a renamed one has no path but two fields after it. */
function readNumstat(text: string): Map<string, DiffStats> {
  const found = new Map<string, DiffStats>();
  const fields = text.split('\0');
  let id = '';
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at]!.replace(/^\n/, '');
    if (field.startsWith('\x01')) {
      id = field.slice(1, 41);
      found.set(id, { additions: 0, deletions: 0, total: 0 });
      continue;
    }
    const [added, deleted, path] = field.split('\t');
    if (deleted === undefined) continue;
    // A binary file has `-` for both.
    const additions = found.get(id)!.additions + (Number(added) || 0);
    const deletions = found.get(id)!.deletions + (Number(deleted) || 0);
    found.set(id, { additions, deletions, total: additions + deletions });
    if (path === '') at += 2;
  }
  return found;
}
