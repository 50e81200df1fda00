import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** What zip archives are made of (APPNOTE.TXT): sizes and signatures of their records, and reading them out of foreign bytes. */

/** Bytes of an archive from the first to the last, both included. */
export type ReadRange = (start: number, end: number) => Promise<Readable>;

/** The archive is none, says what is not so, or is made in a way that nobody here reads. */
export class UnreadableArchive extends Error {
  constructor() {
    super('An archive is not what it says');
  }
}

/** What stands before each file. */
export const LOCAL_HEADER = { signature: 0x04034b50, size: 30 } as const;

/** What the directory says of each file. */
export const DIRECTORY_ENTRY = { signature: 0x02014b50, size: 46 } as const;

/** Where the directory is: at the archive's end, before a comment. */
export const END_RECORD = { signature: 0x06054b50, size: 22, longestComment: 0xffff } as const;

/** The same of archives with more, or longer files; the locator stands right before `END`. */
export const ZIP64_END_RECORD = { signature: 0x06064b50, size: 56 } as const;
export const ZIP64_LOCATOR = { signature: 0x07064b50, size: 20 } as const;

/** So many bytes from here, all of them. */
export async function readBytesAt(read: ReadRange, start: number, length: number): Promise<Buffer> {
  const bytes = await buffer(await read(start, start + length - 1));
  if (bytes.length !== length) throw new UnreadableArchive();
  return bytes;
}

/** A number of eight bytes, as far as there are archives of that size. */
export function readUInt64At(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw new UnreadableArchive();
  return value;
}
