import { crc32, deflateRawSync } from 'node:zlib';

// Creates zip archives, valid ones and corrupt ones.

/** A file of an archive. The optional fields replace the correct values in its directory entry. */
export interface ZipFileInput {
  readonly name: string;
  readonly content?: Buffer | string;
  readonly method?: number;
  readonly flags?: number;
  readonly crc?: number;
  readonly size?: number;
  /** Replaces the compressed content. */
  readonly packed?: Buffer;
  readonly packedSize?: number;
  readonly offset?: number;
  /** Stores sizes and offset in the zip64 extra field. */
  readonly long?: boolean;
}

interface Archive {
  readonly comment?: string;
  /** Replaces the directory's position in the end record. */
  readonly directory?: { readonly start?: number; readonly length?: number };
  /** Writes a zip64 end record. */
  readonly long?: boolean;
}

const DEFLATED = 8;
const LONG = 0xffffffff;

export function createZip(
  files: readonly ZipFileInput[],
  { comment = '', directory = {}, long = false }: Archive = {},
): Buffer {
  const parts: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const { content = '', method = DEFLATED } = file;
    const bytes = Buffer.from(content);
    const packed = file.packed ?? (method === DEFLATED ? deflateRawSync(bytes) : bytes);
    const about = { crc: crc32(bytes), size: bytes.length, packedSize: packed.length, offset: at, method, ...file };
    const local = createRecord(0x04034b50, 30, (head) => {
      head.writeUInt16LE(method, 8);
      head.writeUInt16LE(Buffer.byteLength(file.name), 26);
    });
    for (const part of [local, Buffer.from(file.name), packed]) {
      parts.push(part);
      at += part.length;
    }
    entries.push(entryOf(about));
  }
  const all = Buffer.concat(entries);
  const { start = at, length = all.length } = directory;
  return Buffer.concat([
    ...parts,
    all,
    ...(long ? zip64End(start, length, at + all.length) : []),
    end(start, length, comment, long),
  ]);
}

type EntryFields = Required<Pick<ZipFileInput, 'name' | 'crc' | 'size' | 'packedSize' | 'offset' | 'method'>> &
  Pick<ZipFileInput, 'flags' | 'long'>;

function entryOf({ name, crc, size, packedSize, offset, method, flags = 0, long = false }: EntryFields): Buffer {
  const extra = long ? zip64Numbers([size, packedSize, offset]) : Buffer.alloc(0);
  const head = createRecord(0x02014b50, 46, (bytes) => {
    bytes.writeUInt16LE(flags, 8);
    bytes.writeUInt16LE(method, 10);
    bytes.writeUInt32LE(crc, 16);
    bytes.writeUInt32LE(long ? LONG : packedSize, 20);
    bytes.writeUInt32LE(long ? LONG : size, 24);
    bytes.writeUInt16LE(Buffer.byteLength(name), 28);
    bytes.writeUInt16LE(extra.length, 30);
    bytes.writeUInt32LE(long ? LONG : offset, 42);
  });
  return Buffer.concat([head, Buffer.from(name), extra]);
}

function zip64Numbers(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  for (const [index, number] of numbers.entries()) field.writeBigUInt64LE(BigInt(number), 4 + 8 * index);
  return field;
}

function zip64End(start: number, length: number, at: number): Buffer[] {
  const record = createRecord(0x06064b50, 56, (bytes) => {
    bytes.writeBigUInt64LE(BigInt(length), 40);
    bytes.writeBigUInt64LE(BigInt(start), 48);
  });
  const locator = createRecord(0x07064b50, 20, (bytes) => bytes.writeBigUInt64LE(BigInt(at), 8));
  return [record, locator];
}

function end(start: number, length: number, comment: string, long: boolean): Buffer {
  const record = createRecord(0x06054b50, 22, (bytes) => {
    bytes.writeUInt32LE(long ? LONG : length, 12);
    bytes.writeUInt32LE(long ? LONG : start, 16);
    bytes.writeUInt16LE(Buffer.byteLength(comment), 20);
  });
  return Buffer.concat([record, Buffer.from(comment)]);
}

function createRecord(signature: number, size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32LE(signature, 0);
  write(bytes);
  return bytes;
}
