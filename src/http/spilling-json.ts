import { randomUUID } from 'node:crypto';
import type { SpilledText, SpillFile, Spills } from './spilled-text.ts';

/** Strings up to so many bytes stay in memory. */
const KEPT = 256 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON of any size in the memory of its small parts: a string longer than 256 KiB, wherever it stands, is decoded
 * into a file while it arrives, and stands in the result as a SpilledText. Throws SyntaxError like JSON.parse.
 */
export async function parseSpillingJson(chunks: AsyncIterable<Buffer>, spills: Spills): Promise<unknown> {
  const splitter = new Splitter(spills);
  for await (const chunk of chunks) await splitter.take(chunk);
  return splitter.end();
}

/** Copies the text, and leads long strings aside. */
class Splitter {
  private readonly spills: Spills;
  private readonly kept: Buffer[] = [];
  private readonly mark = randomUUID();
  private readonly spilled = new Map<string, SpilledText>();
  private inString = false;
  private escaped = false;
  /** The string so far, as it is written, while it is short. */
  private pending: Buffer[] = [];
  private pendingSize = 0;
  private long: StringDecoding | null = null;

  constructor(spills: Spills) {
    this.spills = spills;
  }

  async take(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      at = this.inString ? await this.takeString(chunk, at) : this.takeStructure(chunk, at);
    }
  }

  private takeStructure(chunk: Buffer, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote === -1 ? chunk.length : quote + 1;
    this.kept.push(Buffer.from(chunk.subarray(from, end)));
    this.inString = quote !== -1;
    return end;
  }

  /** Up to the string's end, or the chunk's. */
  private async takeString(chunk: Buffer, from: number): Promise<number> {
    const end = this.endOfString(chunk, from);
    const piece = chunk.subarray(from, end === -1 ? chunk.length : end);
    if (this.long === null && this.pendingSize + piece.length > KEPT) {
      this.long = new StringDecoding(await this.spills.create());
      for (const part of this.pending) await this.long.take(part);
      this.pending = [];
      this.pendingSize = 0;
    }
    if (this.long) {
      await this.long.take(piece);
    } else {
      this.pending.push(Buffer.from(piece));
      this.pendingSize += piece.length;
    }
    if (end === -1) return chunk.length;
    await this.endString();
    return end + 1;
  }

  private endOfString(chunk: Buffer, from: number): number {
    let at = from;
    if (this.escaped) {
      this.escaped = false;
      at++;
    }
    for (;;) {
      const quote = chunk.indexOf(QUOTE, at);
      const slash = chunk.subarray(at, quote === -1 ? chunk.length : quote).indexOf(BACKSLASH);
      if (slash === -1) return quote;
      at += slash + 2;
      if (at > chunk.length) {
        this.escaped = true;
        return -1;
      }
    }
  }

  private async endString(): Promise<void> {
    this.inString = false;
    if (this.long) {
      const name = `${this.mark}:${this.spilled.size}`;
      this.spilled.set(name, await this.long.end());
      this.kept.push(Buffer.from(`${name}"`));
      this.long = null;
    } else {
      this.kept.push(...this.pending, Buffer.from('"'));
      this.pending = [];
      this.pendingSize = 0;
    }
  }

  end(): unknown {
    if (this.inString) throw new SyntaxError('Unterminated string');
    const text = Buffer.concat(this.kept).toString('utf8');
    if (this.spilled.size === 0) return JSON.parse(text);
    return JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'string' && value.startsWith(this.mark) ? this.spilled.get(value) : value,
    );
  }
}

const SHORT: Readonly<Record<string, Buffer>> = Object.fromEntries(
  Object.entries({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '"': '"', '\\': '\\', '/': '/' }).map(
    ([letter, meant]) => [letter, Buffer.from(meant)],
  ),
);

/** The inside of a JSON string, escapes and all, into the bytes that it means. */
class StringDecoding {
  private readonly file: SpillFile;
  /** An escape that the end of a chunk has cut, from its backslash on. */
  private cut = '';
  /** The first half of a pair of `\u` escapes. */
  private high = '';
  /** Decoded and not yet written: one write for each chunk. */
  private parts: Buffer[] = [];

  constructor(file: SpillFile) {
    this.file = file;
  }

  async take(bytes: Buffer): Promise<void> {
    let at = 0;
    while (at < bytes.length) {
      if (this.cut !== '') {
        this.cut += String.fromCharCode(bytes[at++] as number);
        this.finishEscape();
        continue;
      }
      const slash = bytes.indexOf(BACKSLASH, at);
      const end = slash === -1 ? bytes.length : slash;
      if (end > at) {
        this.flushHigh();
        this.parts.push(bytes.subarray(at, end));
      }
      if (slash !== -1) this.cut = '\\';
      at = end + (slash === -1 ? 0 : 1);
    }
    await this.writeParts();
  }

  private async writeParts(): Promise<void> {
    const parts = this.parts;
    this.parts = [];
    if (parts.length > 0) await this.file.write(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
  }

  private finishEscape(): void {
    const kind = this.cut[1] as string;
    if (kind !== 'u') {
      const meant = SHORT[kind];
      if (meant === undefined) throw new SyntaxError('Bad escape in a string');
      this.cut = '';
      this.flushHigh();
      this.parts.push(meant);
      return;
    }
    if (this.cut.length < 6) return;
    const digits = this.cut.slice(2);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new SyntaxError('Bad escape in a string');
    this.cut = '';
    this.takeUnit(String.fromCharCode(Number.parseInt(digits, 16)));
  }

  private takeUnit(unit: string): void {
    const isLow = unit >= '\udc00' && unit <= '\udfff';
    if (this.high !== '' && isLow) {
      this.parts.push(Buffer.from(this.high + unit));
      this.high = '';
      return;
    }
    this.flushHigh();
    if (unit >= '\ud800' && unit <= '\udbff') this.high = unit;
    else this.parts.push(Buffer.from(unit));
  }

  /** Half a pair alone is no character. */
  private flushHigh(): void {
    if (this.high === '') return;
    this.high = '';
    this.parts.push(Buffer.from('\ufffd'));
  }

  async end(): Promise<SpilledText> {
    if (this.cut !== '') throw new SyntaxError('Bad escape in a string');
    this.flushHigh();
    await this.writeParts();
    return this.file.end();
  }
}
