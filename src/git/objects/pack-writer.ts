import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createDeflate, deflate, deflateSync } from 'node:zlib';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import type { Git } from '../git.ts';
import { GitFailed } from '../process/failures.ts';
import { stream } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { syncDirectory } from '../storage/storage.ts';
import type { ObjectType } from './object-parser.ts';

export interface NewObject {
  /** As `objectId` gives it. */
  readonly id: string;
  readonly type: ObjectType;
  readonly content: Buffer;
}

/** How packs write the type of an object. */
export const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;

const deflateAll = promisify(deflate);
/** Deflated at once: a worker thread costs more than the work. */
const AT_ONCE = 4096;
/** Deflated in one go in a worker thread; what is larger flows through in pieces. */
const ONE_GO = 1024 * 1024;
const PIECE = 256 * 1024;

/**
 * Writes many objects as one pack, whose index git makes: one file to sync and not one for each. Durable when it returns.
 * Objects that are there again do no harm. `checked`: by the rules for pushes; what breaks them is the failure `unsound`, and
 * nothing is written.
 */
export async function writePack(
  git: Git,
  repository: Repository,
  objects: readonly NewObject[],
  options: { checked?: boolean } = {},
): Promise<void> {
  const unique = [...new Map(objects.map((object) => [object.id, object])).values()];
  const child = stream(git, repository, 'index-pack', { flags: ['--stdin', ...(options.checked ? ['--strict'] : [])] });
  child.stdout.resume();
  // A program that ends early closes its input; how it ended tells more than that.
  await pipeline(gathered(packOf(unique)), child.stdin).catch(() => child.stdin.destroy());
  const ended = await child.done;
  if (!ended.ok) throw new GitFailed('index-pack', ended.failure);
  await syncDirectory(join(repository.directory, 'objects', 'pack'));
}

/** In pieces that are worth a write. */
async function* gathered(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < PIECE) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  yield Buffer.concat(held);
}

async function* packOf(objects: readonly NewObject[]): AsyncGenerator<Buffer> {
  const hash = createHash('sha1');
  const hashed = (piece: Buffer): Buffer => {
    hash.update(piece);
    return piece;
  };
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(objects.length, 8);
  yield hashed(header);
  const giveWay = givingWay();
  for (const { type, content } of objects) {
    await giveWay();
    yield hashed(headerOf(TYPES[type], content.length));
    for await (const piece of deflated(content)) yield hashed(piece);
  }
  yield hash.digest();
}

/** Four bits of the size and three of the type, then seven bits of the size at a time; the highest bit says that more follow. */
export function headerOf(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let last = (type << 4) | (size & 0x0f);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(last | 0x80);
    last = rest & 0x7f;
  }
  return Buffer.from([...bytes, last]);
}

async function* deflated(content: Buffer): AsyncGenerator<Buffer> {
  if (content.length <= AT_ONCE) yield deflateSync(content, { level: 1 });
  else if (content.length <= ONE_GO) yield await deflateAll(content, { level: 1 });
  else {
    const deflating = createDeflate({ level: 1, chunkSize: PIECE });
    deflating.end(content);
    for await (const piece of deflating) yield piece as Buffer;
  }
}
