import { LRUCache } from 'lru-cache';
import { type Git, ownedBy } from '../git.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';

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
  return together(git, `blame ${options.timeLimit} ${key}`, async (shared) => {
    const ask = () => askBlame(shared, repository, commit, path, range, options.timeLimit);
    const result = await walks(git).enter(ask, shared);
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
  const reader = createPorcelainReader();
  const options = timeLimit === undefined ? {} : { timeLimit };
  const ended = await eachLine(git, repository, 'blame', invocation, options, reader.take);
  if (ended.ok) return { ok: true, groups: reader.groups };
  const { failure } = ended;
  if (failure.kind === 'timed-out' || failure.kind === 'too-large') return { refused: failure.kind };
  // "file x has only 3 lines"
  if (failure.kind === 'not-found') return { ok: true, groups: [] };
  throw new GitFailed('blame', failure);
}

/**
 * Before each line stands `<id> <line> <line>`, and facts about the commit when it is new; the line itself follows a
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
