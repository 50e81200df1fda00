import { estimateHeapSize } from '#runtime/heap-size.ts';
import { cachePerCommit, type Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { forEachField } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';

/** The `Key: value` lines at the end of a commit message. */
export interface Trailers {
  /** The last value of each key. `extendedTrailers` has all values. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly extendedTrailers: Readonly<Record<string, readonly string[]>>;
}

/** Limits of the trailers of one commit; further ones are omitted. */
const MAX_BYTES = 64 * 1024;
const MAX_TRAILERS = 1_000;

/** Size of the cache in bytes. */
const MAX_CACHED_BYTES = 4 * 1024 * 1024;

/** Returns the trailers of commits as `git interpret-trailers` parses them, with folded values on one line. */
export const readTrailers = cachePerCommit<Trailers>(MAX_CACHED_BYTES, loadTrailers, estimateHeapSize);

/** Bytes of the field that starts a commit: a line feed, \x01 and an id. */
const MAX_MARKER_LENGTH = 42;

const FORMAT = '--format=%x01%H%x00%(trailers:only,unfold,separator=%x00,key_value_separator=%x01)%x00';

async function loadTrailers(
  git: Git,
  repository: Repository,
  commits: readonly string[],
): Promise<Map<string, Trailers>> {
  const flags = ['--no-walk=unsorted', '--stdin', FORMAT];
  const input = commits.map((id) => `${id}\n`).join('');
  const reader = createReader();
  const exit = await forEachField(git, repository, 'log', { flags }, { input }, reader.take);
  if (!exit.ok) throw new GitError('log', exit.failure);
  return new Map([...reader.pairsByCommit].map(([id, pairs]) => [id, toTrailers(pairs)]));
}

/**
 * Parses `\x01<id>`, followed by `<key>\x01<value>` fields. A message that contains \x01 cannot be mistaken for a
 * commit.
 */
function createReader() {
  const pairsByCommit = new Map<string, [string, string][]>();
  let pairs: [string, string][] = [];
  let remainingBytes = 0;
  return {
    pairsByCommit,
    take(field: Buffer): void {
      const commit =
        field.length <= MAX_MARKER_LENGTH ? /^\n?\x01([0-9a-f]{40})$/.exec(field.toString('latin1')) : null;
      if (commit !== null) {
        [pairs, remainingBytes] = [[], MAX_BYTES];
        pairsByCommit.set(commit[1]!, pairs);
        return;
      }
      remainingBytes -= field.length;
      const separatorIndex = field.indexOf(1);
      if (separatorIndex <= 0 || remainingBytes < 0 || pairs.length >= MAX_TRAILERS) return;
      pairs.push([field.toString('utf8', 0, separatorIndex).trim(), field.toString('utf8', separatorIndex + 1).trim()]);
    },
  };
}

function toTrailers(pairs: readonly [string, string][]): Trailers {
  const valuesByKey = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const previousValues = valuesByKey.get(key);
    if (previousValues === undefined) valuesByKey.set(key, [value]);
    else previousValues.push(value);
  }
  return {
    trailers: Object.fromEntries([...valuesByKey].map(([key, values]) => [key, values.at(-1)!])),
    extendedTrailers: Object.fromEntries(valuesByKey),
  };
}
