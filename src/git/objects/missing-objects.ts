import type { Readable } from 'node:stream';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { type GitChild, spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';

/** Length of a line: a hexadecimal id and a line feed. */
const LINE_LENGTH = 41;

/**
 * Returns up to `most` ids of objects that `of` has and `from` has not, reachable or not. Both lists are compared as
 * streams, in constant memory.
 */
export async function listMissingObjects(git: Git, of: Repository, from: Repository, most: number): Promise<string[]> {
  const [all, those] = [listAllObjects(git, of), listAllObjects(git, from)];
  const missing: string[] = [];
  try {
    const [one, other] = [createLines(all.stdout), createLines(those.stdout)];
    // Start both reads at once: Node discards the output of a process that exits before anybody reads it.
    let [id, found] = await Promise.all([one.next(), other.next()]);
    while (id !== null && missing.length < most) {
      if (found === null) await requireComplete(those);
      const order = found === null ? -1 : Buffer.compare(id, found);
      if (order < 0) missing.push(id.toString('latin1', 0, LINE_LENGTH - 1));
      if (order >= 0) found = other.ready() ?? (await other.next());
      if (order <= 0) id = one.ready() ?? (await one.next());
    }
    if (missing.length < most) await requireComplete(all);
    return missing;
  } finally {
    for (const child of [all, those]) child.kill();
    await Promise.all([all.done, those.done]);
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
  const ended = await child.done;
  if (!ended.ok) throw new GitError(child.command, ended.failure);
}

/** `ready` returns the next line if it has arrived. */
function createLines(stdout: Readable) {
  const chunks = stdout.iterator() as AsyncIterator<Buffer>;
  let buffered: Buffer = Buffer.alloc(0);
  let at = 0;
  const ready = (): Buffer | null => {
    if (at + LINE_LENGTH > buffered.length) return null;
    at += LINE_LENGTH;
    return buffered.subarray(at - LINE_LENGTH, at);
  };
  return {
    ready,
    async next(): Promise<Buffer | null> {
      for (;;) {
        const line = ready();
        if (line !== null) return line;
        const more = await chunks.next();
        if (more.done) return null;
        buffered = Buffer.concat([buffered.subarray(at), more.value]);
        at = 0;
      }
    },
  };
}
