import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

// Headers of raw content from a repository (contract/repository.md §1 "raw"): never a type that browsers execute, never cached.

export const NO_STORE_HEADERS = {
  'Cache-Control': 'max-age=0, private, must-revalidate, no-store, no-cache',
  Expires: 'Fri, 01 Jan 1990 00:00:00 GMT',
} as const;

/** Returns the headers of a file of `size` bytes. `head` contains its first bytes. */
export function buildRawHeaders(name: string, head: Uint8Array, size: number): Record<string, string> {
  const type = detectContentType(head, size);
  const disposition = type === 'application/octet-stream' ? 'attachment' : 'inline';
  return {
    ...NO_STORE_HEADERS,
    'Content-Type': type,
    'Content-Disposition': formatContentDisposition(disposition, name),
  };
}

/** Media types with the bytes that their files start with. */
const MAGIC_NUMBERS: readonly (readonly [string, readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

/** The media types that `detectContentType` returns, without parameters. */
export const RAW_MEDIA_TYPES = [
  ...MAGIC_NUMBERS.map(([type]) => type),
  'image/webp',
  'text/plain',
  'application/octet-stream',
] as const;

/** Returns the content type of the bytes, regardless of the name: an image, text (also for HTML and SVG) or binary. */
export function detectContentType(head: Uint8Array, size: number): string {
  const match = MAGIC_NUMBERS.find(([, magic]) => magic.every((byte, index) => head[index] === byte));
  if (match) return match[0];
  const headBytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 8192));
  if (headBytes.toString('latin1', 0, 4) === 'RIFF' && headBytes.toString('latin1', 8, 12) === 'WEBP')
    return 'image/webp';
  return isText(headBytes, headBytes.byteLength < size) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** Returns whether bytes are UTF-8 without NUL. With `isCut`, a truncated last character is accepted. */
function isText(bytes: Buffer, isCut: boolean): boolean {
  if (bytes.includes(0)) return false;
  return (isCut ? [0, 1, 2, 3] : [0]).some((cutBytes) =>
    isUtf8(bytes.subarray(0, Math.max(0, bytes.length - cutBytes))),
  );
}

/** Formats the header `Content-Disposition` with an ASCII file name and the UTF-8 one (RFC 6266). */
export function formatContentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const asciiName = name.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '_');
  const encodedName = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${asciiName}"; filename*=UTF-8''${encodedName}`;
}

/** Returns the first bytes without consuming them; an empty array if the stream was aborted. */
export async function peekStart(content: Readable, size: number): Promise<Uint8Array> {
  if (size === 0) return Buffer.alloc(0);
  if (content.readableLength === 0) await Promise.race([once(content, 'readable'), once(content, 'close')]);
  const head = content.read() as Buffer | null;
  if (head !== null) content.unshift(head);
  return head ?? Buffer.alloc(0);
}
