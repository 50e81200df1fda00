import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import type { Quarantine } from '../transport/receive-pack.ts';

/** Content of a Git LFS pointer. */
export interface LfsPointer {
  /** SHA-256 in hex. */
  readonly oid: string;
  readonly size: number;
}

/** Sizes in bytes of valid pointers. Other blobs need not be read. */
export const LFS_POINTER_SIZES = { minBytes: 120, maxBytes: 200 } as const;

/** Parses a blob as a pointer (contract/repository.md §1 "raw"); null if it is none. */
export function parseLfsPointer(content: Buffer): LfsPointer | null {
  if (content.length < LFS_POINTER_SIZES.minBytes || content.length > LFS_POINTER_SIZES.maxBytes) return null;
  const text = content.toString('utf8');
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n')) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d{1,15})$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}

/** Formats the blob that is committed instead of a file. */
export function formatLfsPointer(pointer: LfsPointer): Buffer {
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${pointer.oid}\nsize ${pointer.size}\n`);
}

/** Returns whether a push contains objects. Without any, as with tags of existing commits, it adds no LFS pointers. */
export async function hasNewObjects({ GIT_OBJECT_DIRECTORY: directory }: Quarantine): Promise<boolean> {
  if (directory === undefined) return false;
  const names = [...(await readdir(directory)), ...(await readdir(join(directory, 'pack')).catch(() => []))];
  return names.some((name) => name !== 'pack' && name !== 'info');
}

/**
 * Yields the LFS pointers that a push adds: reachable from its new ids but from no existing ref. May yield an object
 * repeatedly. Uses constant memory.
 */
export async function* listNewLfsPointers(
  git: Git,
  repository: Repository,
  newIds: readonly string[],
  quarantine: Quarantine = {},
): AsyncGenerator<LfsPointer> {
  const flags = [
    '--objects',
    '--no-object-names',
    '--filter=object:type=blob',
    `--filter=blob:limit=${LFS_POINTER_SIZES.maxBytes + 1}`,
    '--filter-provided-objects',
    '--stdin',
    '--not',
    '--all',
  ];
  const revList = spawnGit(git, repository, 'rev-list', { flags }, { env: quarantine, timeoutMs: 600_000 });
  const catFile = spawnGit(git, repository, 'cat-file', { flags: ['--batch', '--buffer'] }, { env: quarantine });
  try {
    revList.stdin.end(newIds.map((id) => `${id}\n`).join(''));
    revList.stdout.pipe(catFile.stdin);
    for await (const content of readSmallBlobs(catFile.stdout)) {
      const pointer = parseLfsPointer(content);
      if (pointer !== null) yield pointer;
    }
    // An incomplete walk could miss an object.
    const revListExit = await revList.done;
    if (!revListExit.ok) throw new GitError('rev-list', revListExit.failure);
    const catFileExit = await catFile.done;
    if (!catFileExit.ok) throw new GitError('cat-file', catFileExit.failure);
  } finally {
    revList.kill();
    catFile.kill();
  }
}

/** Yields the contents in the output of `cat-file --batch` that are small enough for a pointer; skips larger ones. */
async function* readSmallBlobs(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unparsed: Buffer = Buffer.alloc(0);
  let bytesToSkip = 0;
  for await (const chunk of output) {
    unparsed = Buffer.concat([unparsed, chunk]);
    for (;;) {
      const skippedBytes = Math.min(bytesToSkip, unparsed.length);
      bytesToSkip -= skippedBytes;
      unparsed = unparsed.subarray(skippedBytes);
      const end = unparsed.indexOf(0x0a);
      if (bytesToSkip > 0 || end < 0) break;
      const match = /^[0-9a-f]{40} (\w+) (\d+)$/.exec(unparsed.toString('latin1', 0, end));
      if (match === null) throw new Error('An object of the push is missing');
      const size = Number(match[2]);
      if (match[1] === 'blob' && size <= LFS_POINTER_SIZES.maxBytes) {
        if (unparsed.length < end + 1 + size + 1) break;
        yield unparsed.subarray(end + 1, end + 1 + size);
      }
      bytesToSkip = end + 1 + size + 1;
    }
  }
}
