import type { Readable } from 'node:stream';
import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { type GitChild, stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';

/** A line of the list: an id in hexadecimal, and its end. */
const LINE = 41;

/**
 * The ids of objects that one repository has and the other has not, reached or not: as many as `most` of them. Both lists
 * are compared as they come, in constant memory.
 */
export async function missingObjects(git: Git, of: Repository, from: Repository, most: number): Promise<string[]> {
  const [all, those] = [listed(git, of), listed(git, from)];
  const missing: string[] = [];
  try {
    const [one, other] = [createLines(all.stdout), createLines(those.stdout)];
    // Both at once: what a process has written that ends before anybody reads it is thrown away.
    let [id, found] = await Promise.all([one.next(), other.next()]);
    while (id !== null && missing.length < most) {
      if (found === null) await wholly(those);
      const order = found === null ? -1 : Buffer.compare(id, found);
      if (order < 0) missing.push(id.toString('latin1', 0, LINE - 1));
      if (order >= 0) found = other.ready() ?? (await other.next());
      if (order <= 0) id = one.ready() ?? (await one.next());
    }
    if (missing.length < most) await wholly(all);
    return missing;
  } finally {
    for (const child of [all, those]) child.kill();
    await Promise.all([all.done, those.done]);
  }
}

/** All objects, each once, by their ids. */
function listed(git: Git, repository: Repository): GitChild {
  const flags = ['--batch-all-objects', '--batch-check=%(objectname)'];
  const child = stream(git, repository, 'cat-file', { flags });
  child.stdin.end();
  return child;
}

/** A list that ended early is none. */
async function wholly(child: GitChild): Promise<void> {
  const ended = await child.done;
  if (!ended.ok) throw new GitFailed(child.command, ended.failure);
}

/** `ready`: the next line, if it has arrived. */
function createLines(stdout: Readable) {
  const chunks = stdout.iterator() as AsyncIterator<Buffer>;
  let piece: Buffer = Buffer.alloc(0);
  let at = 0;
  const ready = (): Buffer | null => {
    if (at + LINE > piece.length) return null;
    at += LINE;
    return piece.subarray(at - LINE, at);
  };
  return {
    ready,
    async next(): Promise<Buffer | null> {
      for (;;) {
        const line = ready();
        if (line !== null) return line;
        const more = await chunks.next();
        if (more.done) return null;
        piece = Buffer.concat([piece.subarray(at), more.value]);
        at = 0;
      }
    },
  };
}
