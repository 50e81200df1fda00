import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import { output, run } from '../process/spawn.ts';
import { HEADS, TAGS } from '../ref-names.ts';
import type { Repository } from '../repository.ts';
import type { Quarantine } from '../transport/receive-pack.ts';
import { walks } from '../trees/path-entries.ts';

/** A best common ancestor of the first commit and a merge of the others; null: their histories are unrelated. */
export async function mergeBase(git: Git, repository: Repository, ids: readonly string[]): Promise<string | null> {
  const [first, ...others] = new Set(ids);
  // git wants two; of a commit and itself it is that commit.
  if (first === undefined || others.length === 0) return first ?? null;
  const result = await run(git, repository, 'merge-base', { args: [first, ...others] }, { answers: [1] });
  if (!result.ok) throw new GitFailed('merge-base', result.failure);
  return result.code === 1 ? null : result.stdout.toString('latin1').trim();
}

/** Whether one commit is reachable from another; every commit is from itself. In a push: with its quarantine. */
export async function isAncestor(
  git: Git,
  repository: Repository,
  ancestor: string,
  descendant: string,
  quarantine: Quarantine = {},
): Promise<boolean> {
  const invocation = { flags: ['--is-ancestor'], args: [ancestor, descendant] };
  const result = await run(git, repository, 'merge-base', invocation, { answers: [1], env: quarantine });
  if (!result.ok) throw new GitFailed('merge-base', result.failure);
  return result.code === 0;
}

const reachable = ownedBy(() => keptAtMost<boolean>(100_000));

/**
 * Those of the commits that are reachable from `tip` (the tip itself too): one process for all that is not yet known,
 * and what is known holds for ever.
 */
export async function mergedInto(
  git: Git,
  repository: Repository,
  candidates: readonly string[],
  tip: string,
): Promise<Set<string>> {
  const known = reachable(git);
  const keyOf = (id: string): string => `${repository.directory} ${tip} ${id}`;
  const wanted = new Set(candidates.filter((id) => id !== tip && !known.has(keyOf(id))));
  if (wanted.size > 0) {
    // What `tip` does not reach is listed; with it the part of its history that `tip` does not reach either.
    const outside = await outsideOf(git, repository, wanted, tip);
    for (const id of wanted) known.set(keyOf(id), !outside.has(id));
  }
  return new Set(candidates.filter((id) => id === tip || known.get(keyOf(id)) === true));
}

async function outsideOf(
  git: Git,
  repository: Repository,
  wanted: ReadonlySet<string>,
  tip: string,
): Promise<Set<string>> {
  const outside = new Set<string>();
  const take = (line: Buffer): void => {
    const id = line.toString('latin1');
    if (wanted.has(id)) outside.add(id);
  };
  const input = [...[...wanted].map((id) => `${id}\n`), `^${tip}\n`].join('');
  const walk = () => eachLine(git, repository, 'rev-list', { flags: ['--stdin'] }, { input }, take);
  const ended = await walks(git).enter(walk, git);
  if (!ended.ok) throw new GitFailed('rev-list', ended.failure);
  return outside;
}

/** Those of the commits from which `commit` is reachable, itself too; what the repository has not got is none. */
export async function descendantsAmong(
  git: Git,
  repository: Repository,
  commit: string,
  candidates: readonly string[],
): Promise<Set<string>> {
  const wanted = new Set(candidates);
  const found = new Set(wanted.has(commit) ? [commit] : []);
  wanted.delete(commit);
  if (wanted.size === 0) return found;
  const take = (line: Buffer): void => {
    const id = line.toString('latin1');
    if (wanted.has(id)) found.add(id);
  };
  const input = [`^${commit}\n`, ...[...wanted].map((id) => `${id}\n`)].join('');
  const flags = ['--ignore-missing', '--ancestry-path', '--stdin'];
  const walk = () => eachLine(git, repository, 'rev-list', { flags }, { input }, take);
  const ended = await walks(git).enter(walk, git);
  if (!ended.ok) throw new GitFailed('rev-list', ended.failure);
  return found;
}

/** Branches or tags, by full name in git's order, from which a commit is reachable. */
export async function refsContaining(
  git: Git,
  repository: Repository,
  commit: string,
  type: 'branch' | 'tag' | 'all',
): Promise<string[]> {
  const prefixes = { branch: [HEADS], tag: [TAGS], all: [HEADS, TAGS] }[type];
  const flags = ['--format=%(refname)', `--contains=${commit}`];
  const list = () => output(git, repository, 'for-each-ref', { flags, args: prefixes });
  const listed = await walks(git).enter(list, git);
  return listed.toString('utf8').split('\n').slice(0, -1);
}
