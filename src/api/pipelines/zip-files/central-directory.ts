import { givingWay } from '#runtime/concurrency-limiter.ts';
import { bytesAt, END, ENTRY, LOCATOR, LONG_END, longAt, type ReadRange, Unreadable } from './records.ts';

/** Finding a file in an archive's directory, which is read in pieces: however much it lists, little of it is held. */

/** What the directory says of a file; nothing of it need be true. */
export interface Entry {
  readonly encrypted: boolean;
  /** 0: as it is, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  /** Bytes in the archive, and of the file itself. */
  readonly packed: number;
  readonly size: number;
  /** Where what stands before it begins. */
  readonly offset: number;
}

export interface Directory {
  readonly start: number;
  readonly length: number;
}

/** A longer directory, of some half a million files, is not looked through. */
const LONGEST = 64 * 1024 * 1024;

/** Where the directory of an archive of so many bytes is. */
export async function findDirectory(read: ReadRange, archiveSize: number): Promise<Directory> {
  const tailLength = Math.min(archiveSize, END.size + END.longestComment + LOCATOR.size);
  if (tailLength < END.size) throw new Unreadable();
  const tail = await bytesAt(read, archiveSize - tailLength, tailLength);
  const at = endIn(tail);
  const end = archiveSize - tailLength + at;
  const locatorAt = at - LOCATOR.size;
  const isLong = locatorAt >= 0 && tail.readUInt32LE(locatorAt) === LOCATOR.signature;
  const directory = isLong
    ? await longDirectory(read, longAt(tail, locatorAt + 8), end)
    : { start: tail.readUInt32LE(at + 16), length: tail.readUInt32LE(at + 12) };
  if (directory.start + directory.length > end || directory.length > LONGEST) throw new Unreadable();
  return directory;
}

/** The last record of its kind whose comment reaches just to the archive's end. */
function endIn(tail: Buffer): number {
  for (let at = tail.length - END.size; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END.signature) continue;
    if (tail.readUInt16LE(at + 20) === tail.length - at - END.size) return at;
  }
  throw new Unreadable();
}

async function longDirectory(read: ReadRange, at: number, end: number): Promise<Directory> {
  if (at + LONG_END.size > end) throw new Unreadable();
  const record = await bytesAt(read, at, LONG_END.size);
  if (record.readUInt32LE(0) !== LONG_END.signature) throw new Unreadable();
  return { start: longAt(record, 48), length: longAt(record, 40) };
}

/** The first file with this name, byte by byte; null: there is none. */
export async function findEntry(read: ReadRange, { start, length }: Directory, name: string): Promise<Entry | null> {
  if (length === 0) return null;
  const wanted = Buffer.from(name);
  const giveWay = givingWay();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of (await read(start, start + length - 1)) as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const { entry, at } = entryIn(rest, wanted);
    if (entry !== null) return entry;
    rest = rest.subarray(at);
    await giveWay();
  }
  return null;
}

/** The entry with this name among those that are whole in these bytes, and where those end. */
function entryIn(bytes: Buffer, wanted: Buffer): { readonly entry: Entry | null; readonly at: number } {
  let at = 0;
  while (at + ENTRY.size <= bytes.length) {
    if (bytes.readUInt32LE(at) !== ENTRY.signature) throw new Unreadable();
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const extraAt = at + ENTRY.size + nameLength;
    const next = extraAt + extraLength + bytes.readUInt16LE(at + 32);
    if (next > bytes.length) break;
    const isIt = nameLength === wanted.length && wanted.equals(bytes.subarray(at + ENTRY.size, extraAt));
    if (isIt) return { entry: entryAt(bytes, at, bytes.subarray(extraAt, extraAt + extraLength)), at };
    at = next;
  }
  return { entry: null, at };
}

function entryAt(bytes: Buffer, at: number, extra: Buffer): Entry {
  const long = new LongNumbers(extra);
  const size = long.or(bytes.readUInt32LE(at + 24));
  const packed = long.or(bytes.readUInt32LE(at + 20));
  const offset = long.or(bytes.readUInt32LE(at + 42));
  return {
    encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
    method: bytes.readUInt16LE(at + 10),
    crc: bytes.readUInt32LE(at + 16),
    packed,
    size,
    offset,
  };
}

const TOO_LARGE = 0xffffffff;
const LONG_FIELD = 1;

/** Numbers that four bytes are too few for stand in a field of their own, one after the other. */
class LongNumbers {
  #left: Buffer = Buffer.alloc(0);

  constructor(extra: Buffer) {
    for (let at = 0; at + 4 <= extra.length; ) {
      const end = at + 4 + extra.readUInt16LE(at + 2);
      if (extra.readUInt16LE(at) === LONG_FIELD) this.#left = extra.subarray(at + 4, end);
      at = end;
    }
  }

  or(value: number): number {
    if (value !== TOO_LARGE) return value;
    if (this.#left.length < 8) throw new Unreadable();
    const long = longAt(this.#left, 0);
    this.#left = this.#left.subarray(8);
    return long;
  }
}
