import { LRUCache } from 'lru-cache';
import { definePerGit, type Git } from '../git.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';

/** Consecutive lines that the same commit wrote. */
interface BlamedLines {
  readonly commit: string;
  /** Without line feeds; carriage returns stay. Bytes that are not UTF-8 are U+FFFD. */
  readonly lines: readonly string[];
}

/** First and last line, counted from 1, both inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

interface Blame {
  readonly ok: true;
  readonly groups: readonly BlamedLines[];
}

type BlameResult =
  | Blame
  /** The history is too long for the time limit, or the file too large. */
  | { readonly rejected: 'timed-out' | 'too-large' };

const blameCache = definePerGit(
  (git) =>
    new LRUCache<string, Blame>({
      maxSize: git.limits.cacheBytes,
      sizeCalculation: (result) => 512 + result.groups.reduce((size, group) => size + estimateSize(group), 0),
    }),
);

function estimateSize(group: BlamedLines): number {
  return group.lines.reduce((size, line) => size + line.length * 2 + 32, 128);
}

/**
 * Returns which commit wrote each line of a file that exists at the commit (see `findEntryAtPath`). A range is cut at
 * the last line; a range that starts after it gives no lines. Cached per commit, path and range.
 */
export async function blame(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
  range?: LineRange,
  options: { timeoutMs?: number } = {},
): Promise<BlameResult> {
  const key = [repository.directory, commit, range?.start, range?.end, path].join(' ');
  const cached = blameCache(git).get(key);
  if (cached !== undefined) return cached;
  return coalesce(git, `blame ${options.timeoutMs} ${key}`, async (shared) => {
    const compute = () => computeBlame(shared, repository, commit, path, range, options.timeoutMs);
    const result = await historyWalkLimiter(git).run(compute, shared);
    if ('ok' in result) blameCache(git).set(key, result);
    return result;
  });
}

async function computeBlame(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
  range: LineRange | undefined,
  timeoutMs: number | undefined,
): Promise<BlameResult> {
  const flags = ['--porcelain', '--encoding=none'];
  if (range !== undefined) flags.push(`-L${range.start},${range.end}`);
  const invocation = { flags, args: [commit], paths: [path] };
  const reader = createPorcelainReader();
  const options = timeoutMs === undefined ? {} : { timeoutMs };
  const exit = await forEachLine(git, repository, 'blame', invocation, options, reader.take);
  if (exit.ok) return { ok: true, groups: reader.groups };
  const { failure } = exit;
  if (failure.kind === 'timed-out' || failure.kind === 'too-large') return { rejected: failure.kind };
  // "file x has only 3 lines"
  if (failure.kind === 'not-found') return { ok: true, groups: [] };
  throw new GitError('blame', failure);
}

/**
 * Parses `git blame --porcelain`: `<id> <line> <line>`, then metadata of a new commit, then the line itself after a
 * tab.
 */
function createPorcelainReader() {
  const groups: { commit: string; lines: string[] }[] = [];
  let commit = '';
  return {
    groups: groups as readonly BlamedLines[],
    take(line: Buffer): void {
      if (line[0] === TAB) {
        const text = line.toString('utf8', 1);
        const last = groups.at(-1);
        if (last?.commit === commit) last.lines.push(text);
        else groups.push({ commit, lines: [text] });
        commit = '';
      } else if (commit === '') commit = line.toString('latin1', 0, 40);
    },
  };
}

const TAB = 0x09;
