import { detectContentType } from '#repositories/raw-content.ts';

// Media types of files that browsers show (contract/web.md §2): images by their content, everything else as text.

const TEXT = 'text/plain; charset=utf-8';

/** The media types of files that browsers show, without parameters. */
export const BROWSER_MEDIA_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/vnd.microsoft.icon',
  'image/svg+xml',
  'text/plain',
] as const;

/** Returns the media type of a file of `size` bytes. `head` contains its first bytes. The name has no influence. */
export function detectMediaType(head: Uint8Array, size: number): string {
  const type = detectContentType(head, size);
  if (type.startsWith('image/')) return type;
  return detectBinaryImage(head) ?? (isSvg(head) ? 'image/svg+xml' : TEXT);
}

function detectBinaryImage(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 32));
  if (bytes.byteLength < 14) return null;
  const boxAndBrand = bytes.toString('latin1', 4, 12);
  if (boxAndBrand === 'ftypavif' || boxAndBrand === 'ftypavis') return 'image/avif';
  // The reserved bytes after the file size are zero, which no text that begins with `BM` has.
  if (bytes.toString('latin1', 0, 2) === 'BM' && bytes.readUInt32LE(6) === 0) return 'image/bmp';
  if (bytes.readUInt32LE(0) === ICON_SIGNATURE && bytes.readUInt16LE(4) > 0) return 'image/vnd.microsoft.icon';
  return null;
}

/** The first four bytes of an ICO file: two reserved bytes 0, then the type 1 as 16 bits, little-endian. */
const ICON_SIGNATURE = 0x00010000;

/** Number of bytes in which the root element of an SVG image must begin. */
const MAX_PROLOG_BYTES = 8192;

/** Returns whether the first element of an XML text is `svg`. Declarations, comments and document types may precede it. */
function isSvg(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, MAX_PROLOG_BYTES)).toString('utf8');
  let remainingText = text.replace(/^\uFEFF/, '').trimStart();
  for (;;) {
    const end = getPrologEnd(remainingText);
    if (end === null) return /^<svg[\s/>]/.test(remainingText);
    const index = remainingText.indexOf(end);
    if (index < 0) return false;
    remainingText = remainingText.slice(index + end.length).trimStart();
  }
}

/**
 * Returns the closing delimiter of the declaration, comment or document type at the start of the text; null if the text
 * starts with something else.
 */
function getPrologEnd(text: string): string | null {
  if (text.startsWith('<?')) return '?>';
  if (text.startsWith('<!--')) return '-->';
  return text.slice(0, 9).toLowerCase() === '<!doctype' ? '>' : null;
}
