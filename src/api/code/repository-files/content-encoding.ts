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
  const base64Text = content.replace(/[\r\n]/g, '');
  return getBase64ByteLength(base64Text) === null ? 'notBase64' : Buffer.from(base64Text, 'base64');
}

async function decodeSpooled(content: SpooledText, encoding: ContentEncoding): Promise<FileBytes | 'notBase64'> {
  if (encoding === 'text') return { size: content.size, chunks: () => content.chunks() };
  const size = await countSpooledBase64Bytes(content);
  return size === null ? 'notBase64' : { size, chunks: () => decodeBase64Chunks(content) };
}

/**
 * Returns the byte length of base64 text, or null if it is invalid. Missing padding is allowed; other characters
 * outside the alphabet are not, since they would be lost.
 */
function getBase64ByteLength(base64Text: string): number | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64Text)) return null;
  return toDecodedLength(trimEndCharacters(base64Text, '=').length);
}

/** Returns the byte length of base64 text with this number of characters, without padding; null if it is invalid. */
function toDecodedLength(characterCount: number): number | null {
  return characterCount % 4 === 1 ? null : Math.floor((characterCount * 3) / 4);
}

/** Returns the byte length of spooled base64 text, or null if it is invalid. */
async function countSpooledBase64Bytes(content: SpooledText): Promise<number | null> {
  let characterCount = 0;
  let padding = 0;
  for await (const chunk of content.chunks()) {
    const base64Text = toBase64Text(chunk);
    const unpaddedText = trimEndCharacters(base64Text, '=');
    if (unpaddedText !== '' && (padding > 0 || !/^[A-Za-z0-9+/]*$/.test(unpaddedText))) return null;
    characterCount += unpaddedText.length;
    padding += base64Text.length - unpaddedText.length;
  }
  return padding > 2 ? null : toDecodedLength(characterCount);
}

async function* decodeBase64Chunks(content: SpooledText): AsyncGenerator<Buffer> {
  let remainder = '';
  for await (const chunk of content.chunks()) {
    const base64Text = remainder + toBase64Text(chunk);
    const completeLength = base64Text.length - (base64Text.length % 4);
    remainder = base64Text.slice(completeLength);
    if (completeLength > 0) yield Buffer.from(base64Text.slice(0, completeLength), 'base64');
  }
  if (remainder !== '') yield Buffer.from(remainder, 'base64');
}

/** Returns the text of a chunk without line breaks. */
function toBase64Text(chunk: Buffer): string {
  const text = chunk.toString('latin1');
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
}
