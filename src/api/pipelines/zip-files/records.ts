import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Records of zip archives (APPNOTE.TXT): their sizes and signatures, and reading them from untrusted bytes. */

/** Reads bytes of an archive from the first to the last offset, both inclusive. */
export type ReadRange = (start: number, end: number) => Promise<Readable>;

/** The archive is invalid, inconsistent or uses an unsupported format. */
export class UnreadableArchive extends Error {
  constructor() {
    super('An archive is not what it says');
  }
}

/** The local header before each file. */
export const LOCAL_HEADER = { signature: 0x04034b50, size: 30 } as const;

/** The directory entry of each file. */
export const DIRECTORY_ENTRY = { signature: 0x02014b50, size: 46 } as const;

/** The end record with the position of the directory: at the end of the archive, before a comment. */
export const END_RECORD = { signature: 0x06054b50, size: 22, maxCommentBytes: 0xffff } as const;

/** The ZIP64 end record for large archives; its locator is directly before `END`. */
export const ZIP64_END_RECORD = { signature: 0x06064b50, size: 56 } as const;
export const ZIP64_LOCATOR = { signature: 0x07064b50, size: 20 } as const;

/** Reads exactly this many bytes from the offset. */
export async function readBytesAt(read: ReadRange, start: number, length: number): Promise<Buffer> {
  const bytes = await buffer(await read(start, start + length - 1));
  if (bytes.length !== length) throw new UnreadableArchive();
  return bytes;
}

/** Reads a 64-bit number; larger numbers than an archive may have are rejected. */
export function readUInt64At(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw new UnreadableArchive();
  return value;
}
