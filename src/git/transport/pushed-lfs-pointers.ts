import type { Git } from '../git.ts';
import { type LfsPointer, parsePointer, pointerSizes } from '../objects/lfs-pointer.ts';
import { GitFailed } from '../process/failures.ts';
import { stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import type { Quarantine } from './receive-pack.ts';

/**
 * The pointers among the objects that a push brings: reachable from its new ids and from no ref that is there already.
 * An object that several blobs point to comes several times. In constant memory.
 */
export async function* newLfsPointers(
  git: Git,
  repository: Repository,
  newIds: readonly string[],
  quarantine: Quarantine = {},
): AsyncGenerator<LfsPointer> {
  const flags = [
    '--objects',
    '--no-object-names',
    '--filter=object:type=blob',
    `--filter=blob:limit=${pointerSizes.most + 1}`,
    '--filter-provided-objects',
    '--stdin',
    '--not',
    '--all',
  ];
  const walk = stream(git, repository, 'rev-list', { flags }, { env: quarantine, timeLimit: 600_000 });
  const blobs = stream(git, repository, 'cat-file', { flags: ['--batch', '--buffer'] }, { env: quarantine });
  try {
    walk.stdin.end(newIds.map((id) => `${id}\n`).join(''));
    walk.stdout.pipe(blobs.stdin);
    for await (const content of contentsOf(blobs.stdout)) {
      const pointer = parsePointer(content);
      if (pointer !== null) yield pointer;
    }
    // A walk that broke off would let a missing object through.
    const walked = await walk.done;
    if (!walked.ok) throw new GitFailed('rev-list', walked.failure);
    const read = await blobs.done;
    if (!read.ok) throw new GitFailed('cat-file', read.failure);
  } finally {
    walk.kill();
    blobs.kill();
  }
}

/** The contents in the output of `cat-file --batch` that are small enough for a pointer; larger ones are skipped. */
async function* contentsOf(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let skip = 0;
  for await (const chunk of output) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const skipped = Math.min(skip, rest.length);
      skip -= skipped;
      rest = rest.subarray(skipped);
      const end = rest.indexOf(0x0a);
      if (skip > 0 || end < 0) break;
      const found = /^[0-9a-f]{40} (\w+) (\d+)$/.exec(rest.toString('latin1', 0, end));
      if (found === null) throw new Error('An object of the push is missing');
      const size = Number(found[2]);
      if (found[1] === 'blob' && size <= pointerSizes.most) {
        if (rest.length < end + 1 + size + 1) break;
        yield rest.subarray(end + 1, end + 1 + size);
      }
      skip = end + 1 + size + 1;
    }
  }
}
