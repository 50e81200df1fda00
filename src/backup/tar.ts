import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/**
 * The part of tar that an archive needs: plain files with short names, of any size (POSIX.1-2001: a `size` record of pax for
 * what is larger than 8 GiB, or was when it was begun). A library would stream, too, but writes no file whose size
 * comes out at its end, and reads far more kinds of entries than may be in here.
 */

const BLOCK = 512;

/** What eleven octal digits can say. */
const LARGEST_PLAIN = 0o77777777777;

/** Bytes of the records before a file. */
const LARGEST_PAX = 64 * 1024;

const LONGEST_NAME = 100;

/** Bytes before the content of each file. */
const HEAD = 3 * BLOCK;

export interface TarWriter {
  /** Adds a file whose content `fill` writes; nothing of it stays when that throws. Returns its size and SHA-256. */
  add(
    name: string,
    fill: (write: (bytes: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<{ size: number; sha256: string }>;
  /** Writes the end and makes all of it durable. */
  end(): Promise<void>;
}

/** Writes an archive into an empty file. `time`: of all entries. */
export function tarWriter(file: FileHandle, time: Date): TarWriter {
  let position = 0;
  const put = async (bytes: Buffer, at: number) => {
    for (let done = 0; done < bytes.length; ) {
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    }
  };
  return {
    async add(name, fill) {
      const start = position;
      // Its size is known when it is there: the room for what is said of it is left free until then.
      const content = start + HEAD;
      const hash = createHash('sha256');
      let size = 0;
      await fill(async (bytes) => {
        hash.update(bytes);
        await put(bytes, content + size);
        size += bytes.length;
      });
      const padding = (BLOCK - (size % BLOCK)) % BLOCK;
      await put(Buffer.alloc(padding), content + size);
      await put(headOf(name, size, time), start);
      position = content + size + padding;
      return { size, sha256: hash.digest('hex') };
    },
    async end() {
      await put(Buffer.alloc(2 * BLOCK), position);
      await file.truncate(position + 2 * BLOCK);
      await file.sync();
    },
  };
}

/** What stands before a file of this size. */
export function headOf(name: string, size: number, time: Date): Buffer {
  const record = paxRecord('size', String(size));
  return Buffer.concat([
    header(`pax/${name}`.slice(0, LONGEST_NAME), record.length, 'x', time),
    padded(record),
    header(name, Math.min(size, LARGEST_PLAIN), '0', time),
  ]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.from(`${length}${rest}`);
}

function header(name: string, size: number, type: '0' | 'x', time: Date): Buffer {
  if (name.length > LONGEST_NAME) throw new Error(`The name ${name} is too long for an archive`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(name, 0, 'latin1');
  block.write('0000600\0' + '0000000\0'.repeat(2), 100, 'latin1');
  block.write(`${octal(size, 11)} ${octal(Math.floor(time.getTime() / 1000), 11)} `, 124, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${octal(checksumOf(block), 6)}\0 `, 148, 'latin1');
  return block;
}

/** All bytes of the header, with blanks where their sum stands. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += block[at]!;
  return sum;
}

/** What is no archive, or one that is not whole. */
export class TarDamaged extends Error {
  override readonly name = 'TarDamaged';
}

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Where in the archive its content begins. */
  readonly at: number;
}

/** The entries one after another, without their contents: files only. Throws `TarDamaged`. */
export async function* tarEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size: whole } = await file.stat();
  let declared: number | null = null;
  for (let position = 0; ; ) {
    const block = await readAt(file, position, BLOCK);
    if (block.every((byte) => byte === 0)) return ended(file, position, whole, declared);
    const { name, size: plain, type } = readBlock(block);
    const size: number = declared !== null && type === '0' ? declared : plain;
    const at = position + BLOCK;
    const next = at + Math.ceil(size / BLOCK) * BLOCK;
    if (next > whole) throw new TarDamaged(`The archive ends in the middle of ${name}`);
    if (!(await readAt(file, at + size, next - at - size)).every((byte) => byte === 0)) {
      throw new TarDamaged(`Behind ${name} stands what does not belong there`);
    }
    if (type === 'x') {
      if (declared !== null || size > LARGEST_PAX) throw new TarDamaged(`The records of ${name} make no sense`);
      declared = sizeIn(await readAt(file, at, size));
    } else {
      declared = null;
      yield { name, size, at };
    }
    position = next;
  }
}

async function ended(file: FileHandle, position: number, whole: number, declared: number | null): Promise<void> {
  if (declared !== null || whole - position < 2 * BLOCK) throw new TarDamaged('The archive has no end');
  for (let at = position; at < whole; at += PIECE) {
    const rest = await readAt(file, at, Math.min(PIECE, whole - at));
    if (!rest.every((byte) => byte === 0)) throw new TarDamaged('Behind the end of the archive stands something');
  }
}

function readBlock(block: Buffer): { name: string; size: number; type: '0' | 'x' } {
  const field = (from: number, length: number) => block.toString('latin1', from, from + length).split('\0', 1)[0]!;
  const number = (from: number, length: number) => {
    const digits = /^ *([0-7]+) *$/.exec(field(from, length))?.[1];
    return digits === undefined ? Number.NaN : Number.parseInt(digits, 8);
  };
  if (number(148, 8) !== checksumOf(block))
    throw new TarDamaged('A header of the archive is damaged, or it is no archive');
  const name = field(0, LONGEST_NAME);
  const size = number(124, 12);
  const type = field(156, 1);
  if (type !== '0' && type !== 'x') throw new TarDamaged(`${name} is no plain file`);
  if (Number.isNaN(size) || field(345, 155) !== '') throw new TarDamaged(`The header of ${name} makes no sense`);
  return { name, size, type };
}

function sizeIn(record: Buffer): number {
  const text = record.toString('latin1');
  const digits = /^\d+ size=(\d{1,15})\n$/.exec(text)?.[1];
  if (digits === undefined || !paxRecord('size', digits).equals(record)) {
    throw new TarDamaged('The records of the archive make no sense');
  }
  return Number(digits);
}

const PIECE = 2 ** 18;

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done);
    if (bytesRead === 0) throw new TarDamaged('The archive has no end');
    done += bytesRead;
  }
  return bytes;
}

/** The content of an entry, in pieces. `hash` sees all of them. */
export async function* contentOf(file: FileHandle, { at, size }: TarEntry, hash?: Hash): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; done += PIECE) {
    const bytes = await readAt(file, at + done, Math.min(PIECE, size - done));
    hash?.update(bytes);
    yield bytes;
  }
}
