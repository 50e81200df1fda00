import type { FileBytes } from '#repositories/lfs/lfs-content.ts';
import { trimEndCharacters } from '#text/trim.ts';
import { isSpooledText, type SpooledText } from './large-body/spooled-text.ts';

export type ContentEncoding = 'text' | 'base64';

/**
 * Parses `encoding`. A value that is not a string is unknown, so that content is never stored with the wrong encoding.
 */
export function parseEncoding(value: unknown): ContentEncoding | 'unknown' {
  if (value === undefined || value === null) return 'text';
  return value === 'text' || value === 'base64' ? value : 'unknown';
}

/** Decodes `content`. Returns `invalid` if it is not a string, and `notBase64` if it is not valid base64. */
export async function decodeContent(
  content: unknown,
  encoding: ContentEncoding,
): Promise<FileBytes | 'invalid' | 'notBase64'> {
  if (isSpooledText(content)) return decodeSpooled(content, encoding);
  if (typeof content !== 'string') return 'invalid';
  if (encoding === 'text') return Buffer.from(content, 'utf8');
  const letters = content.replace(/[\r\n]/g, '');
  return base64ByteLength(letters) === null ? 'notBase64' : Buffer.from(letters, 'base64');
}

async function decodeSpooled(content: SpooledText, encoding: ContentEncoding): Promise<FileBytes | 'notBase64'> {
  if (encoding === 'text') return { size: content.size, chunks: () => content.chunks() };
  const size = await spooledBase64ByteLength(content);
  return size === null ? 'notBase64' : { size, chunks: () => base64Chunks(content) };
}

/**
 * Returns the byte length of base64 text, or null if it is invalid. Missing padding is allowed; other characters
 * outside the alphabet are not, since they would be lost.
 */
function base64ByteLength(letters: string): number | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters)) return null;
  return decodedLength(trimEndCharacters(letters, '=').length);
}

function decodedLength(count: number): number | null {
  return count % 4 === 1 ? null : Math.floor((count * 3) / 4);
}

/** Returns the byte length of spooled base64 text, or null if it is invalid. */
async function spooledBase64ByteLength(content: SpooledText): Promise<number | null> {
  let count = 0;
  let padding = 0;
  for await (const chunk of content.chunks()) {
    const letters = base64Letters(chunk);
    const plain = trimEndCharacters(letters, '=');
    if (plain !== '' && (padding > 0 || !/^[A-Za-z0-9+/]*$/.test(plain))) return null;
    count += plain.length;
    padding += letters.length - plain.length;
  }
  return padding > 2 ? null : decodedLength(count);
}

async function* base64Chunks(content: SpooledText): AsyncGenerator<Buffer> {
  let carried = '';
  for await (const chunk of content.chunks()) {
    const letters = carried + base64Letters(chunk);
    const completeLength = letters.length - (letters.length % 4);
    carried = letters.slice(completeLength);
    if (completeLength > 0) yield Buffer.from(letters.slice(0, completeLength), 'base64');
  }
  if (carried !== '') yield Buffer.from(carried, 'base64');
}

function base64Letters(chunk: Buffer): string {
  const text = chunk.toString('latin1');
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
}
