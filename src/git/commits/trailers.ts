import { bytesOf } from '#runtime/heap-size.ts';
import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { eachField } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { rememberedOfCommits } from './commit-cache.ts';

/** The `Key: value` lines at the end of a commit's message. */
export interface Trailers {
  /** Of a key that is there several times, the last value. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly extendedTrailers: Readonly<Record<string, readonly string[]>>;
}

/** Bytes of the trailers of one commit, and how many there may be: what comes behind them is left out. */
const MOST_BYTES = 64 * 1024;
const MOST_TRAILERS = 1_000;

/** Bytes that are remembered. */
const REMEMBERED = 4 * 1024 * 1024;

/** The trailers of commits as `git interpret-trailers` finds them, folded values on one line. */
export const readTrailers = rememberedOfCommits<Trailers>(REMEMBERED, askGit, bytesOf);

/** A line feed, \x01 and an id. */
const LONGEST_MARK = 42;

const FORMAT = '--format=%x01%H%x00%(trailers:only,unfold,separator=%x00,key_value_separator=%x01)%x00';

async function askGit(git: Git, repository: Repository, commits: readonly string[]): Promise<Map<string, Trailers>> {
  const flags = ['--no-walk=unsorted', '--stdin', FORMAT];
  const input = commits.map((id) => `${id}\n`).join('');
  const reader = createReader();
  const ended = await eachField(git, repository, 'log', { flags }, { input }, reader.take);
  if (!ended.ok) throw new GitFailed('log', ended.failure);
  return new Map([...reader.found].map(([id, list]) => [id, collect(list)]));
}

/** `\x01<id>`, then `<key>\x01<value>` each; a message that holds \x01 itself cannot be mistaken for a commit. */
function createReader() {
  const found = new Map<string, [string, string][]>();
  let pairs: [string, string][] = [];
  let left = 0;
  return {
    found,
    take(field: Buffer): void {
      const commit = field.length <= LONGEST_MARK ? /^\n?\x01([0-9a-f]{40})$/.exec(field.toString('latin1')) : null;
      if (commit !== null) {
        [pairs, left] = [[], MOST_BYTES];
        found.set(commit[1]!, pairs);
        return;
      }
      left -= field.length;
      const mark = field.indexOf(1);
      if (mark <= 0 || left < 0 || pairs.length >= MOST_TRAILERS) return;
      pairs.push([field.toString('utf8', 0, mark).trim(), field.toString('utf8', mark + 1).trim()]);
    },
  };
}

function collect(pairs: readonly [string, string][]): Trailers {
  const extended = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const before = extended.get(key);
    if (before === undefined) extended.set(key, [value]);
    else before.push(value);
  }
  return {
    trailers: Object.fromEntries([...extended].map(([key, values]) => [key, values.at(-1)!])),
    extendedTrailers: Object.fromEntries(extended),
  };
}
