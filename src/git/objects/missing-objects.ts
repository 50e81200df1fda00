import type { Readable } from 'node:stream';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { type GitChild, spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';

/** Length of a line: a hexadecimal id and a line feed. */
const LINE_LENGTH = 41;

/**
 * Returns up to `limit` ids of objects that `source` has and `target` lacks, reachable or not. Merges both sorted lists
 * as streams, in constant memory.
 */
export async function listMissingObjects(
  git: Git,
  source: Repository,
  target: Repository,
  limit: number,
): Promise<string[]> {
  const [sourceList, targetList] = [listAllObjects(git, source), listAllObjects(git, target)];
  const missing: string[] = [];
  try {
    const [sourceLines, targetLines] = [createLineReader(sourceList.stdout), createLineReader(targetList.stdout)];
    // Start both reads immediately: Node discards the output of a process that exits before anybody reads it.
    let [sourceId, targetId] = await Promise.all([sourceLines.next(), targetLines.next()]);
    while (sourceId !== null && missing.length < limit) {
      if (targetId === null) await requireComplete(targetList);
      const comparison = targetId === null ? -1 : Buffer.compare(sourceId, targetId);
      if (comparison < 0) missing.push(sourceId.toString('latin1', 0, LINE_LENGTH - 1));
      if (comparison >= 0) targetId = targetLines.ready() ?? (await targetLines.next());
      if (comparison <= 0) sourceId = sourceLines.ready() ?? (await sourceLines.next());
    }
    if (missing.length < limit) await requireComplete(sourceList);
    return missing;
  } finally {
    for (const child of [sourceList, targetList]) child.kill();
    await Promise.all([sourceList.done, targetList.done]);
  }
}

/** Lists all objects once each, ordered by id. */
function listAllObjects(git: Git, repository: Repository): GitChild {
  const flags = ['--batch-all-objects', '--batch-check=%(objectname)'];
  const child = spawnGit(git, repository, 'cat-file', { flags });
  child.stdin.end();
  return child;
}

/** Throws unless the list is complete. */
async function requireComplete(child: GitChild): Promise<void> {
  const exit = await child.done;
  if (!exit.ok) throw new GitError(child.command, exit.failure);
}

/** Reads lines of fixed length. `ready` returns the next line if it has arrived; `next` returns null at the end. */
function createLineReader(stdout: Readable) {
  const chunks = stdout.iterator() as AsyncIterator<Buffer>;
  let buffered: Buffer = Buffer.alloc(0);
  let offset = 0;
  const ready = (): Buffer | null => {
    if (offset + LINE_LENGTH > buffered.length) return null;
    offset += LINE_LENGTH;
    return buffered.subarray(offset - LINE_LENGTH, offset);
  };
  return {
    ready,
    async next(): Promise<Buffer | null> {
      for (;;) {
        const line = ready();
        if (line !== null) return line;
        const nextChunk = await chunks.next();
        if (nextChunk.done) return null;
        buffered = Buffer.concat([buffered.subarray(offset), nextChunk.value]);
        offset = 0;
      }
    },
  };
}
