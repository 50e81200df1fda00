import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Records of zip archives (APPNOTE.TXT): their sizes and signatures, and reading them from untrusted bytes. */

/** Opens a stream of an archive's bytes from `start` to `end`, both inclusive. */
export type ReadRange = (start: number, end: number) => Promise<Readable>;

/** Error for an archive that is invalid, inconsistent or in an unsupported format. */
export class UnreadableArchive extends Error {
  constructor() {
    super('The zip archive is invalid or unsupported');
  }
}

/** The local header before each file. */
export const LOCAL_HEADER = { signature: 0x04034b50, size: 30 } as const;

/** The directory entry of each file. */
export const DIRECTORY_ENTRY = { signature: 0x02014b50, size: 46 } as const;

/** The end record with the position of the directory: at the end of the archive, before a comment. */
export const END_RECORD = { signature: 0x06054b50, size: 22, maxCommentBytes: 0xffff } as const;

/** The ZIP64 end record for large archives; its locator is directly before `END_RECORD`. */
export const ZIP64_END_RECORD = { signature: 0x06064b50, size: 56 } as const;
export const ZIP64_LOCATOR = { signature: 0x07064b50, size: 20 } as const;

/** Reads exactly this many bytes from the offset. Throws `UnreadableArchive` if there are fewer. */
export async function readBytesAt(read: ReadRange, start: number, length: number): Promise<Buffer> {
  const bytes = await buffer(await read(start, start + length - 1));
  if (bytes.length !== length) throw new UnreadableArchive();
  return bytes;
}

/** Reads a 64-bit number. Throws `UnreadableArchive` if it is not a safe integer. */
export function readUInt64At(bytes: Buffer, offset: number): number {
  const value = Number(bytes.readBigUInt64LE(offset));
  if (!Number.isSafeInteger(value)) throw new UnreadableArchive();
  return value;
}
