import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createDeflate } from 'node:zlib';
import { createYielder } from '#runtime/yielding.ts';
import type { Git } from '../git.ts';
import { GitError } from '../process/failures.ts';
import { spawnGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { syncDirectory } from '../storage/storage.ts';
import { CHUNK_SIZE, deflateAtOnce, MAX_SINGLE_DEFLATE } from './loose-objects.ts';
import type { ObjectType } from './object-parser.ts';

export interface NewObject {
  /** As returned by `computeObjectId`. */
  readonly id: string;
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** Numbers of the object types in packs. */
export const PACK_TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

/**
 * Writes many objects as one pack, so that one file is synced instead of one per object. The pack is durable when this returns.
 * It may contain objects that exist already. With `checked`, objects that violate the rules for pushes fail with the failure
 * `unsound`, and nothing is written.
 */
export async function writePack(
  git: Git,
  repository: Repository,
  objects: readonly NewObject[],
  options: { checked?: boolean } = {},
): Promise<void> {
  const objectsById = new Map<string, NewObject>();
  for (const object of objects) objectsById.set(object.id, object);
  const child = spawnGit(git, repository, 'index-pack', {
    flags: ['--stdin', ...(options.checked ? ['--strict'] : [])],
  });
  child.stdout.resume();
  // A process that exits early closes its input. Its exit code says more than EPIPE.
  await pipeline(mergeChunks(formatPack([...objectsById.values()])), child.stdin).catch(() => child.stdin.destroy());
  const exit = await child.done;
  if (!exit.ok) throw new GitError('index-pack', exit.failure);
  await syncDirectory(join(repository.directory, 'objects', 'pack'));
}

/** Merges small chunks into chunks of at least `CHUNK_SIZE` bytes, so that there are few writes. */
async function* mergeChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pending.push(chunk);
    size += chunk.length;
    if (size < CHUNK_SIZE) continue;
    yield Buffer.concat(pending);
    pending = [];
    size = 0;
  }
  yield Buffer.concat(pending);
}

async function* formatPack(objects: readonly NewObject[]): AsyncGenerator<Buffer> {
  const hash = createHash('sha1');
  const addToHash = (chunk: Buffer): Buffer => {
    hash.update(chunk);
    return chunk;
  };
  // Signature, version 2, number of objects.
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(objects.length, 8);
  yield addToHash(header);
  const yieldIfDue = createYielder();
  for (const { type, content } of objects) {
    await yieldIfDue();
    yield addToHash(formatPackedHeader(PACK_TYPES[type], content.length));
    for await (const chunk of deflateInChunks(content)) yield addToHash(chunk);
  }
  yield hash.digest();
}

/**
 * Formats type and size: four bits of the size and three of the type, then seven bits of the size each. The highest bit
 * means that more follow.
 */
export function formatPackedHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let currentByte = (type << 4) | (size & 0x0f);
  for (let remainingSize = Math.floor(size / 16); remainingSize > 0; remainingSize = Math.floor(remainingSize / 128)) {
    bytes.push(currentByte | 0x80);
    currentByte = remainingSize & 0x7f;
  }
  return Buffer.from([...bytes, currentByte]);
}

async function* deflateInChunks(content: Buffer): AsyncGenerator<Buffer> {
  if (content.length <= MAX_SINGLE_DEFLATE) yield await deflateAtOnce(content);
  else {
    const deflateStream = createDeflate({ level: 1, chunkSize: CHUNK_SIZE });
    deflateStream.end(content);
    for await (const chunk of deflateStream) yield chunk as Buffer;
  }
}
