import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';

/** Start and exclusions of a history walk, as commit ids. `all` starts from every branch and tag. */
export type Revisions = 'all' | { readonly include: readonly string[]; readonly exclude?: readonly string[] };

interface ListCommitsOptions {
  revisions: Revisions;
  /** Unix seconds of the committer's date, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Only commits that changed this file or folder; taken literally. */
  path?: string;
  /** Part of `Name <email>` of the author; taken literally. */
  author?: string | undefined;
  firstParent?: boolean | undefined;
  /** Excludes merge commits. */
  noMerges?: boolean;
  /** `topo`: children come before their parents. */
  order?: 'default' | 'topo';
  skip?: number;
  /** Request one more than the page size to learn whether there is a next page. */
  limit: number;
}

/** Returns commit ids, newest first. `readCommits` returns their content. A missing repository has no commits. */
export async function listCommits(git: Git, repository: Repository, options: ListCommitsOptions): Promise<string[]> {
  const { revisions, since, until, path, author, firstParent, noMerges, order, skip, limit } = options;
  // git treats each line of a pattern as an alternative; no author has two lines.
  if (author?.includes('\n') || author?.includes('\0') || path?.includes('\0')) return [];
  if (limit <= 0) return [];
  const flags = [
    `--max-count=${limit}`,
    `--skip=${skip ?? 0}`,
    ...(since === undefined ? [] : [`--max-age=${Math.max(0, Math.ceil(since))}`]),
    ...(until === undefined ? [] : [`--min-age=${Math.max(0, Math.floor(until))}`]),
    ...(author === undefined || author === '' ? [] : ['--fixed-strings', `--author=${author}`]),
    ...(firstParent === true ? ['--first-parent'] : []),
    ...(noMerges === true ? ['--no-merges'] : []),
    ...(order === 'topo' ? ['--topo-order'] : []),
  ];
  const paths = path === undefined || path === '' ? [] : [path];
  const output = await revList(git, repository, revisions, flags, paths);
  return output.split('\n').slice(0, -1);
}

interface CountCommitsOptions {
  include: readonly string[];
  exclude?: readonly string[];
  /** Counting stops here. */
  max?: number;
}

/** Returns how many commits are reachable from `include` and not from `exclude`. */
export async function countCommits(git: Git, repository: Repository, options: CountCommitsOptions): Promise<number> {
  const { include, exclude = [], max } = options;
  if (include.length === 0) return 0;
  const flags = ['--count', ...(max === undefined ? [] : [`--max-count=${max}`])];
  return Number(await revList(git, repository, { include, exclude }, flags));
}

/** Ids are passed through standard input because there can be many. */
async function revList(
  git: Git,
  repository: Repository,
  revisions: Revisions,
  flags: readonly string[],
  paths: readonly string[] = [],
): Promise<string> {
  const startFlags = revisions === 'all' ? ['--branches', '--tags'] : ['--stdin'];
  const input = revisions === 'all' ? '' : formatRevisionLines(revisions.include, revisions.exclude ?? []);
  const invocation = { flags: [...flags, ...startFlags], paths };
  const result = await runGit(git, repository, 'rev-list', invocation, { input });
  if (result.ok) return result.stdout.toString('latin1');
  if (result.failure.kind === 'no-repository') return '';
  throw new GitError('rev-list', result.failure);
}

const ID_PATTERN = /^[0-9a-f]{40}$/;

function formatRevisionLines(include: readonly string[], exclude: readonly string[]): string {
  for (const id of [...include, ...exclude]) {
    if (!ID_PATTERN.test(id)) throw new Error(`${JSON.stringify(id)} is not an object id`);
  }
  return [...include.map((id) => `${id}\n`), ...exclude.map((id) => `^${id}\n`)].join('');
}
