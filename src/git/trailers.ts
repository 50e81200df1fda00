import { GitFailed } from './failures.ts';
import type { Git } from './git.ts';
import { rememberedOfCommits } from './remembered-commits.ts';
import type { Repository } from './repository.ts';
import { run } from './spawn.ts';

/** The `Key: value` lines at the end of a commit's message. */
export interface Trailers {
  /** Of a key that is there several times, the last value. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly extendedTrailers: Readonly<Record<string, readonly string[]>>;
}

/** The trailers of commits as `git interpret-trailers` finds them, folded values on one line. */
export const readTrailers = rememberedOfCommits(5_000, askGit);

const FORMAT = '--format=%x01%H%x00%(trailers:only,unfold,separator=%x00,key_value_separator=%x01)%x00';

async function askGit(git: Git, repository: Repository, commits: readonly string[]): Promise<Map<string, Trailers>> {
  const flags = ['--no-walk=unsorted', '--stdin', FORMAT];
  const input = commits.map((id) => `${id}\n`).join('');
  const result = await run(git, repository, 'log', { flags }, { input });
  if (!result.ok) throw new GitFailed('log', result.failure);
  return readOutput(result.stdout.toString('utf8'));
}

/** `\x01<id>`, then `<key>\x01<value>` each; a message that holds \x01 itself cannot be mistaken for a commit. */
function readOutput(text: string): Map<string, Trailers> {
  const found = new Map<string, [string, string][]>();
  let pairs: [string, string][] = [];
  for (const field of text.split('\0')) {
    const commit = /^\n?\x01([0-9a-f]{40})$/.exec(field);
    if (commit !== null) {
      pairs = [];
      found.set(commit[1]!, pairs);
      continue;
    }
    const mark = field.indexOf('\x01');
    if (mark > 0) pairs.push([field.slice(0, mark).trim(), field.slice(mark + 1).trim()]);
  }
  return new Map([...found].map(([id, list]) => [id, collect(list)]));
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
