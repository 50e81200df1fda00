import type { BigIntStats } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Repository } from '../repository.ts';

/**
 * Returns the text of a loose ref: an object id, or `ref: ` and another ref. Null if there is no such file. The caller
 * must have validated the name, so that the path stays inside the repository.
 */
export async function readLooseRef(repository: Repository, ref: string): Promise<string | null> {
  const text = (await readFile(join(repository.directory, ref), 'utf8').catch(nullIfMissing))?.trim() ?? '';
  return /^[0-9a-f]{40}$/.test(text) || text.startsWith('ref: ') ? text : null;
}

interface PackedRefs {
  /** Identity of the file (inode, size, timestamps): git replaces the file instead of writing into it. */
  readonly version: string;
  readonly content: Buffer;
  readonly sorted: boolean;
}

/** Cache of packed-refs files. The identity of the file is compared at every use, so that an entry is never stale. */
const packedRefsCache = new LRUCache<string, PackedRefs>({
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (packed) => packed.content.length + 256,
});

/** Returns the object id of a ref in packed-refs, or null. */
export async function readPackedRef(repository: Repository, ref: string): Promise<string | null> {
  const packed = await readPackedRefs(join(repository.directory, 'packed-refs'));
  if (packed === null) return null;
  const name = Buffer.from(ref);
  return packed.sorted ? searchSorted(packed.content, name) : searchAll(packed.content, name);
}

async function readPackedRefs(path: string): Promise<PackedRefs | null> {
  const status = await stat(path, { bigint: true }).catch(nullIfMissing);
  if (status === null) return null;
  const cached = packedRefsCache.get(path);
  if (cached?.version === toFileVersion(status)) return cached;
  const file = await open(path, 'r').catch(nullIfMissing);
  if (file === null) return null;
  try {
    const version = toFileVersion(await file.stat({ bigint: true }));
    const content = await file.readFile();
    const header = content.toString('latin1', 0, Math.max(0, content.indexOf(0x0a)));
    const packed = { version, content, sorted: header.startsWith('# pack-refs') && header.includes(' sorted') };
    packedRefsCache.set(path, packed);
    return packed;
  } finally {
    await file.close();
  }
}

/** Returns null for a missing file, also if its parent is a file or its name is too long; rethrows other errors. */
function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) return null;
  throw error;
}

function toFileVersion(status: BigIntStats): string {
  return [status.dev, status.ino, status.size, status.mtimeNs, status.ctimeNs].join(' ');
}

/** Searches by bisection. Lines are `<id> <ref>`, `^<id of the peeled tag above>` or begin with `#`. */
function searchSorted(content: Buffer, name: Buffer): string | null {
  let low = content[0] === 0x23 ? content.indexOf(0x0a) + 1 : 0;
  let high = content.length;
  while (low < high) {
    let start = findLineStart(content, low, (low + high) >> 1);
    if (content[start] === 0x5e) start = findLineStart(content, low, start - 1);
    const end = content.indexOf(0x0a, start);
    const order = Buffer.compare(name, content.subarray(start + 41, end));
    if (order === 0) return content.toString('latin1', start, start + 40);
    if (order < 0) high = start;
    else low = content[end + 1] === 0x5e ? content.indexOf(0x0a, end + 1) + 1 : end + 1;
  }
  return null;
}

function findLineStart(content: Buffer, lowest: number, offset: number): number {
  return offset <= lowest ? lowest : Math.max(lowest, content.lastIndexOf(0x0a, offset - 1) + 1);
}

function searchAll(content: Buffer, name: Buffer): string | null {
  const needle = Buffer.concat([Buffer.from(' '), name, Buffer.from('\n')]);
  const offset = content.indexOf(needle);
  return offset < 40 ? null : content.toString('latin1', offset - 40, offset);
}
