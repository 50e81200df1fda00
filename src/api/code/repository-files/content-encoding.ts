import type { Bytes } from '#repositories/lfs/lfs-content.ts';
import { trimmedEnd } from '#text/trim.ts';
import { isLongText, type LongText } from './large-body/spooled-text.ts';

export type Encoding = 'text' | 'base64';

/** What is no text is no encoding either: content must not be stored otherwise than it was meant. */
export function readEncoding(value: unknown): Encoding | 'unknown' {
  if (value === undefined || value === null) return 'text';
  return value === 'text' || value === 'base64' ? value : 'unknown';
}

/** The bytes that a `content` stands for; null: it is no text, or not in this encoding. */
export async function decodeContent(content: unknown, encoding: Encoding): Promise<Bytes | 'invalid' | 'notBase64'> {
  if (isLongText(content)) return decodeLong(content, encoding);
  if (typeof content !== 'string') return 'invalid';
  if (encoding === 'text') return Buffer.from(content, 'utf8');
  const letters = content.replace(/[\r\n]/g, '');
  return bytesIn(letters) === null ? 'notBase64' : Buffer.from(letters, 'base64');
}

async function decodeLong(content: LongText, encoding: Encoding): Promise<Bytes | 'notBase64'> {
  if (encoding === 'text') return { size: content.size, chunks: () => content.chunks() };
  const size = await base64Size(content);
  return size === null ? 'notBase64' : { size, chunks: () => base64Chunks(content) };
}

/**
 * How many bytes these letters are; null: they are no base64. Missing padding is fine; anything else outside the
 * alphabet is not: it would be lost.
 */
function bytesIn(letters: string): number | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters)) return null;
  return bytesOf(trimmedEnd(letters, '=').length);
}

function bytesOf(count: number): number | null {
  return count % 4 === 1 ? null : Math.floor((count * 3) / 4);
}

/** The same of a text that doesn't fit into memory. */
async function base64Size(content: LongText): Promise<number | null> {
  let count = 0;
  let padding = 0;
  for await (const chunk of content.chunks()) {
    const letters = lettersOf(chunk);
    const plain = trimmedEnd(letters, '=');
    if (plain !== '' && (padding > 0 || !/^[A-Za-z0-9+/]*$/.test(plain))) return null;
    count += plain.length;
    padding += letters.length - plain.length;
  }
  return padding > 2 ? null : bytesOf(count);
}

async function* base64Chunks(content: LongText): AsyncGenerator<Buffer> {
  let carried = '';
  for await (const chunk of content.chunks()) {
    const letters = carried + lettersOf(chunk);
    const whole = letters.length - (letters.length % 4);
    carried = letters.slice(whole);
    if (whole > 0) yield Buffer.from(letters.slice(0, whole), 'base64');
  }
  if (carried !== '') yield Buffer.from(carried, 'base64');
}

function lettersOf(chunk: Buffer): string {
  const text = chunk.toString('latin1');
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
}
