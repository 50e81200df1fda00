import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** Headers of bytes from a repository (contract/repository.md §1 "raw"): never an active type, never kept. */

export const NOT_KEPT = {
  'Cache-Control': 'max-age=0, private, must-revalidate, no-store, no-cache',
  Expires: 'Fri, 01 Jan 1990 00:00:00 GMT',
} as const;

/** `head`: the first of the bytes, of which there are `size`. */
export function rawHeaders(name: string, head: Uint8Array, size: number): Record<string, string> {
  const type = contentType(head, size);
  const disposition = type === 'application/octet-stream' ? 'attachment' : 'inline';
  return { ...NOT_KEPT, 'Content-Type': type, 'Content-Disposition': contentDisposition(disposition, name) };
}

const MAGIC: readonly (readonly [string, readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

/** By what the bytes are, not by their name: pictures, text (HTML and SVG too), or just bytes. */
export function contentType(head: Uint8Array, size: number): string {
  const known = MAGIC.find(([, magic]) => magic.every((byte, index) => head[index] === byte));
  if (known) return known[0];
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 8192));
  if (text.toString('latin1', 0, 4) === 'RIFF' && text.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  return looksLikeText(text, text.byteLength < size) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** UTF-8 without NUL; where more bytes follow, a character that is cut does not count against it. */
function looksLikeText(bytes: Buffer, isCut: boolean): boolean {
  if (bytes.includes(0)) return false;
  return (isCut ? [0, 1, 2, 3] : [0]).some((cut) => isUtf8(bytes.subarray(0, Math.max(0, bytes.length - cut))));
}

export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/gu, '?').replace(/["\\]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The first bytes, which stay in the stream; none of one that was broken off before. */
export async function headOf(content: Readable, size: number): Promise<Uint8Array> {
  if (size === 0) return Buffer.alloc(0);
  if (content.readableLength === 0) await Promise.race([once(content, 'readable'), once(content, 'close')]);
  const head = content.read() as Buffer | null;
  if (head !== null) content.unshift(head);
  return head ?? Buffer.alloc(0);
}
