import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import { runGit } from '../process/spawn.ts';
import { HEADS, TAGS } from '../ref-names.ts';
import { listRefs } from '../refs/refs.ts';
import type { Repository } from '../repository.ts';
import type { Quarantine } from '../transport/receive-pack.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';

/**
 * Returns a best common ancestor of the first commit and a merge of the others; null if their histories are unrelated.
 */
export async function computeMergeBase(
  git: Git,
  repository: Repository,
  ids: readonly string[],
): Promise<string | null> {
  const [first, ...others] = new Set(ids);
  // git requires two commits. The merge base of a commit and itself is that commit.
  if (first === undefined || others.length === 0) return first ?? null;
  const result = await runGit(git, repository, 'merge-base', { args: [first, ...others] }, { acceptedCodes: [1] });
  if (!result.ok) throw new GitError('merge-base', result.failure);
  return result.code === 1 ? null : result.stdout.toString('latin1').trim();
}

/**
 * Returns whether `ancestor` is reachable from `descendant`. A commit is its own ancestor. Within a push, pass its
 * quarantine.
 */
export async function isAncestor(
  git: Git,
  repository: Repository,
  ancestor: string,
  descendant: string,
  quarantine: Quarantine = {},
): Promise<boolean> {
  const invocation = { flags: ['--is-ancestor'], args: [ancestor, descendant] };
  const result = await runGit(git, repository, 'merge-base', invocation, { acceptedCodes: [1], env: quarantine });
  if (!result.ok) throw new GitError('merge-base', result.failure);
  return result.code === 0;
}

const reachableCache = definePerGit(() => createBoundedCache<boolean>(100_000));

/**
 * Returns the candidates that are reachable from `tip`, including the tip itself. One process answers for all uncached
 * ones; answers are cached without expiry.
 */
export async function filterReachable(
  git: Git,
  repository: Repository,
  candidates: readonly string[],
  tip: string,
): Promise<Set<string>> {
  const cache = reachableCache(git);
  const toKey = (id: string): string => `${repository.directory} ${tip} ${id}`;
  const ids = new Set(candidates.filter((id) => id !== tip && !cache.has(toKey(id))));
  if (ids.size > 0) {
    // rev-list lists the ids that `tip` does not reach, and the unreachable part of their history.
    const unreachableIds = await findUnreachable(git, repository, ids, tip);
    for (const id of ids) cache.set(toKey(id), !unreachableIds.has(id));
  }
  return new Set(candidates.filter((id) => id === tip || cache.get(toKey(id)) === true));
}

async function findUnreachable(
  git: Git,
  repository: Repository,
  ids: ReadonlySet<string>,
  tip: string,
): Promise<Set<string>> {
  const unreachableIds = new Set<string>();
  const onLine = (line: Buffer): void => {
    const id = line.toString('latin1');
    if (ids.has(id)) unreachableIds.add(id);
  };
  const input = [...[...ids].map((id) => `${id}\n`), `^${tip}\n`].join('');
  const walk = () => forEachLine(git, repository, 'rev-list', { flags: ['--stdin'] }, { input }, onLine);
  const exit = await historyWalkLimiter(git).run(walk, git);
  if (!exit.ok) throw new GitError('rev-list', exit.failure);
  return unreachableIds;
}

/**
 * Returns the candidates from which `commit` is reachable, including itself. Commits that the repository does not have
 * are omitted.
 */
export async function filterDescendants(
  git: Git,
  repository: Repository,
  commit: string,
  candidates: readonly string[],
): Promise<Set<string>> {
  const remaining = new Set(candidates);
  const descendants = new Set(remaining.has(commit) ? [commit] : []);
  remaining.delete(commit);
  if (remaining.size === 0) return descendants;
  const onLine = (line: Buffer): void => {
    const id = line.toString('latin1');
    if (remaining.has(id)) descendants.add(id);
  };
  const input = [`^${commit}\n`, ...[...remaining].map((id) => `${id}\n`)].join('');
  const flags = ['--ignore-missing', '--ancestry-path', '--stdin'];
  const walk = () => forEachLine(git, repository, 'rev-list', { flags }, { input }, onLine);
  const exit = await historyWalkLimiter(git).run(walk, git);
  if (!exit.ok) throw new GitError('rev-list', exit.failure);
  return descendants;
}

/**
 * Returns the full names of the branches or tags that contain a commit, in git's order. One walk from all refs back to the commit
 * takes less time than `for-each-ref --contains`, which walks once per ref.
 */
export async function listRefsContaining(
  git: Git,
  repository: Repository,
  commit: string,
  type: 'branch' | 'tag' | 'all',
): Promise<string[]> {
  const prefixes = { branch: [HEADS], tag: [TAGS], all: [HEADS, TAGS] }[type];
  const refs = (await Promise.all(prefixes.map((prefix) => listRefs(git, repository, prefix)))).flat();
  const commitIds = refs.flatMap(({ commitId }) => commitId ?? []);
  const descendants = await filterDescendants(git, repository, commit, commitIds);
  return refs.flatMap(({ name, commitId }) => (commitId !== null && descendants.has(commitId) ? [name] : []));
}

/** Maximum number of tips that are compared; further ones contain none. */
const MAX_TIPS = 1_000;
/**
 * Timeout in milliseconds. If reading the history takes longer, only the part read until then counts, because a client
 * waits.
 */
const TIMEOUT_MS = 10_000;

/**
 * Returns for each tip how many of the other tips its history contains. Reads the history of all tips once, children
 * before parents.
 */
export async function countContainedTips(
  git: Git,
  repository: Repository,
  tips: readonly string[],
  timeoutMs = TIMEOUT_MS,
): Promise<number[]> {
  const counts = tips.map(() => 0);
  const indexesByTip = Map.groupBy(tips.slice(0, MAX_TIPS).keys(), (index) => tips[index]!);
  const wordCount = Math.ceil(Math.min(tips.length, MAX_TIPS) / 32);
  /** Which tips reach a commit that is not read yet, one bit each. */
  const reachedBy = new Map<string, Uint32Array>();
  const unreadTips = new Set(indexesByTip.keys());
  const addCommit = (line: Buffer): boolean => {
    const [id, ...parentIds] = line.toString('latin1').split(' ') as [string, ...string[]];
    const bits = reachedBy.get(id) ?? new Uint32Array(wordCount);
    reachedBy.delete(id);
    // Several tips can be the same commit; each of them contains the others.
    const ownIndexes = indexesByTip.get(id) ?? [];
    for (const index of ownIndexes) setBit(bits, index);
    if (ownIndexes.length > 0)
      for (const index of listBits(bits)) counts[index]! += ownIndexes.length - (ownIndexes.includes(index) ? 1 : 0);
    for (const parentId of parentIds) {
      const parentBits = reachedBy.get(parentId);
      if (parentBits === undefined) reachedBy.set(parentId, bits.slice());
      else for (const word of bits.keys()) parentBits[word]! |= bits[word]!;
    }
    unreadTips.delete(id);
    return unreadTips.size > 0;
  };
  const invocation = { flags: ['--topo-order', '--parents', '--stdin'] };
  const input = [...indexesByTip.keys()].map((id) => `${id}\n`).join('');
  const exit = await forEachLine(git, repository, 'rev-list', invocation, { input, timeoutMs }, addCommit);
  if (!exit.ok) git.log('branches_not_compared', { repository: repository.directory, failure: exit.failure });
  return counts;
}

function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31);
}

/** Yields the positions of the set bits. `x & -x` is the lowest set bit of `x`, and `x & (x - 1)` clears it. */
function* listBits(bits: Uint32Array): Generator<number> {
  for (const [word, value] of bits.entries())
    for (let remainingBits = value; remainingBits !== 0; remainingBits &= remainingBits - 1)
      yield word * 32 + 31 - Math.clz32(remainingBits & -remainingBits);
}
