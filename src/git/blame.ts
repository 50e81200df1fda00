import { LRUCache } from 'lru-cache';
import { GitFailed } from './failures.ts';
import { walks } from './files.ts';
import { type Git, ownedBy } from './git.ts';
import type { Repository } from './repository.ts';
import { run } from './spawn.ts';
import { together } from './together.ts';

/** Neighbouring lines that the same commit has written. */
interface BlamedLines {
  readonly commit: string;
  /** Without their line feed; a carriage return stays; what is not UTF-8 is U+FFFD. */
  readonly lines: readonly string[];
}

/** First and last line, from 1, both included. */
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
  /** The history is too long for the time that one answer may take, or the file too large. */
  | { readonly refused: 'timed-out' | 'too-large' };

const blames = ownedBy(
  (git) =>
    new LRUCache<string, Blame>({
      maxSize: git.limits.objectBytes,
      sizeCalculation: (result) => 512 + result.groups.reduce((size, group) => size + sizeOf(group), 0),
    }),
);

function sizeOf(group: BlamedLines): number {
  return group.lines.reduce((size, line) => size + line.length * 2 + 32, 128);
}

/**
 * Who wrote each line of a file that is there at the commit (see `entryAt`), in the file's order. A range that ends
 * after the last line is cut; one that begins after it gives no lines. Asked once per commit, path and range.
 */
export async function blame(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
  range?: LineRange,
  options: { timeLimit?: number } = {},
): Promise<BlameResult> {
  const key = [repository.directory, commit, range?.start, range?.end, path].join(' ');
  const known = blames(git).get(key);
  if (known !== undefined) return known;
  return together(git, `blame ${key}`, async (shared) => {
    const ask = () => askBlame(shared, repository, commit, path, range, options.timeLimit);
    const result = await walks(git).enter(ask);
    if ('ok' in result) blames(git).set(key, result);
    return result;
  });
}

async function askBlame(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
  range: LineRange | undefined,
  timeLimit: number | undefined,
): Promise<BlameResult> {
  const flags = ['--porcelain', '--encoding=none'];
  if (range !== undefined) flags.push(`-L${range.start},${range.end}`);
  const invocation = { flags, args: [commit], paths: [path] };
  const result = await run(git, repository, 'blame', invocation, timeLimit === undefined ? {} : { timeLimit });
  if (result.ok) return { ok: true, groups: parsePorcelain(result.stdout) };
  const { failure } = result;
  if (failure.kind === 'timed-out' || failure.kind === 'too-large') return { refused: failure.kind };
  // "file x has only 3 lines"
  if (failure.kind === 'not-found') return { ok: true, groups: [] };
  throw new GitFailed('blame', failure);
}

/**
 * Before each line stands `<id> <line> <line>`, and facts about the commit when it is new; the line itself follows a
 * tab.
 */
function parsePorcelain(text: Buffer): BlamedLines[] {
  const groups: { commit: string; lines: string[] }[] = [];
  let commit = '';
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf(0x0a, at);
    const end = found < 0 ? text.length : found;
    if (text[at] === 0x09) {
      const line = text.toString('utf8', at + 1, end);
      const last = groups.at(-1);
      if (last?.commit === commit) last.lines.push(line);
      else groups.push({ commit, lines: [line] });
      commit = '';
    } else if (commit === '') commit = text.toString('latin1', at, at + 40);
    at = end + 1;
  }
  return groups;
}
