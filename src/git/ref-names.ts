import { isUtf8 } from 'node:buffer';

/** Prefixes of the full names of branches and tags. */
export const HEADS = 'refs/heads/';
export const TAGS = 'refs/tags/';

/** Prefixes of the refs that only the server makes. */
export const SERVER_REFS = ['refs/environments/', 'refs/keep-around/', 'refs/merge-requests/', 'refs/pipelines/'];

/** Returns whether only the server may create, move or delete this ref; a push cannot. */
export function isServerRef(ref: string): boolean {
  return SERVER_REFS.some((prefix) => `${ref}/`.startsWith(prefix));
}

/**
 * Decodes a name. Names in git are bytes, names in Hearth are strings. A byte that is not UTF-8 becomes one lone
 * surrogate, U+DC00 plus the byte. No UTF-8 decodes to that, so `encodeName` restores the exact bytes and different
 * names stay different. Call `toWellFormed()` before displaying a name, which replaces each such byte with U+FFFD.
 */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let name = '';
  for (let offset = 0; offset < bytes.length; ) {
    const length = characterLength(bytes, offset);
    name +=
      length === 0 ? String.fromCharCode(0xdc00 + bytes[offset]!) : bytes.toString('utf8', offset, offset + length);
    offset += Math.max(length, 1);
  }
  return name;
}

/** Returns the bytes of a name that comes from `decodeName` or a client. */
export function encodeName(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name, 'utf8');
  const parts: Buffer[] = [];
  for (const character of name) {
    const code = character.charCodeAt(0);
    const isByte = character.length === 1 && code >= 0xdc80 && code <= 0xdcff;
    parts.push(isByte ? Buffer.from([code - 0xdc00]) : Buffer.from(character, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** Returns the length of the UTF-8 character at this position; 0 if there is none. */
function characterLength(bytes: Buffer, offset: number): number {
  const first = bytes[offset]!;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = bytes.subarray(offset, offset + length);
  return character.length === length && isUtf8(character) ? length : 0;
}
