import type { Git } from '../git.ts';
import { forEachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';

/** Maximum number of tips that are compared; further ones contain none. */
const MAX_TIPS = 1_000;
/** Timeout in milliseconds. Of a longer history only the part read until then counts, because a client waits. */
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
