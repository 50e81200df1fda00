import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { writeBlob, writeCommit } from '../commits/commit.ts';
import { TEST_SIGNER } from '../fixtures.testing.ts';
import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import { formatTree } from '../trees/tree-edit.ts';
import { computeObjectId, writeObject } from './loose-objects.ts';
import type { TreeEntry } from './object-parser.ts';
import { formatPackedHeader, type NewObject, PACK_TYPES, writePack } from './pack-writer.ts';

// Small stored objects that expand to a huge size.

/**
 * Writes a tree whose directories each have `width` equal entries, `levels` deep: `width` to the power of `levels`
 * paths in `levels` objects. Returns its id. Uses a pack, because git opens a file per path for loose objects.
 */
export async function writeNestedTrees(
  git: Git,
  repository: Repository,
  levels: number,
  width: number,
): Promise<string> {
  const objects = [await createObject('blob', Buffer.from('content\n'.repeat(100)))];
  for (let level = 0; level < levels; level += 1) {
    const { id } = objects[level]!;
    const kind =
      level === 0 ? ({ mode: '100644', type: 'blob' } as const) : ({ mode: '040000', type: 'tree' } as const);
    objects.push(await createObject('tree', formatTree(createEntries(width, { ...kind, id }))));
  }
  await writePack(git, repository, objects);
  return objects.at(-1)!.id;
}

/** Writes a tree with one file `d/d/.../d` below this many folders. Returns its id. */
export async function writeDeepTree(git: Git, repository: Repository, levels: number): Promise<string> {
  const objects = [await createObject('blob', Buffer.from('content\n'))];
  for (let level = 0; level <= levels; level += 1) {
    const { id } = objects[level]!;
    const [type, mode] = level === 0 ? (['blob', '100644'] as const) : (['tree', '040000'] as const);
    objects.push(await createObject('tree', formatTree([{ mode, type, id, name: 'd' }])));
  }
  await writePack(git, repository, objects);
  return objects.at(-1)!.id;
}

/** Writes a tree with `width` equal files. */
export async function writeWideTree(git: Git, repository: Repository, width: number): Promise<string> {
  const id = await writeBlob(git, repository, Buffer.from('content\n'));
  return writeObject(git, repository, 'tree', formatTree(createEntries(width, { mode: '100644', type: 'blob', id })));
}

function createEntries(width: number, entry: Omit<TreeEntry, 'name'>): TreeEntry[] {
  return Array.from({ length: width }, (_, index) => ({ ...entry, name: `entry-${String(index).padStart(7, '0')}` }));
}

/** Writes a root commit of a tree; no ref points to it. */
export async function commitTree(git: Git, repository: Repository, tree: string): Promise<string> {
  return writeCommit(git, repository, {
    tree,
    parents: [],
    author: TEST_SIGNER,
    committer: TEST_SIGNER,
    message: 'Bomb\n',
  });
}

/** Writes a commit with one file of this name, valid or not. */
export async function commitFileNamed(git: Git, repository: Repository, name: string): Promise<string> {
  const id = await writeBlob(git, repository, Buffer.from('content\n'));
  const tree = formatTree([{ mode: '100644', type: 'blob', id, name }]);
  return commitTree(git, repository, await writeObject(git, repository, 'tree', tree));
}

const MEBIBYTE = 1024 * 1024;

/**
 * Returns a pack with an object of this many mebibytes as a delta of a thousand bytes, which copies one mebibyte of
 * zeros repeatedly. The other objects are stored undeltified.
 */
export async function createDeltaPack(mebibytes: number, others: readonly NewObject[] = []): Promise<Buffer> {
  const base: NewObject = await createObject('blob', Buffer.alloc(MEBIBYTE));
  // Instruction that copies 1 MiB from the start of the base.
  const copies = Buffer.from('c010'.repeat(mebibytes), 'hex');
  const delta = Buffer.concat([encodeDeltaSize(MEBIBYTE), encodeDeltaSize(mebibytes * MEBIBYTE), copies]);
  // Signature, version 2, number of objects.
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(others.length + 2, 8);
  const parts = [header, formatPackedObject(PACK_TYPES.blob, base.content)];
  for (const { type, content } of others) parts.push(formatPackedObject(PACK_TYPES[type], content));
  parts.push(formatPackedObject(REF_DELTA, delta, Buffer.from(base.id, 'hex')));
  const pack = Buffer.concat(parts);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

export async function createObject(type: NewObject['type'], content: Buffer): Promise<NewObject> {
  return { id: await computeObjectId(type, content), type, content };
}

const REF_DELTA = 7;

function formatPackedObject(type: number, content: Buffer, prefix: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([formatPackedHeader(type, content.length), prefix, deflateSync(content)]);
}

/** Encodes a size as in deltas: seven bits per byte, the lowest first. The highest bit means that more follow. */
function encodeDeltaSize(number: number): Buffer {
  const bytes: number[] = [];
  for (let rest = number; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) | 0x80 : rest);
    if (rest < 128) return Buffer.from(bytes);
  }
}
