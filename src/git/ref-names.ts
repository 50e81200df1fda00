import { isUtf8 } from 'node:buffer';

/** What the full names of branches and of tags begin with. */
export const HEADS = 'refs/heads/';
export const TAGS = 'refs/tags/';

/**
 * Names in git are bytes, names in Hearth are strings. Nearly all are UTF-8 and become what they look like. A byte that
 * is no UTF-8 becomes one lone surrogate, U+DC00 plus the byte: no UTF-8 decodes to that, so `encodeName` gives back
 * exactly the bytes, and two different names stay different. Whoever shows a name calls `toWellFormed()` on it, which
 * makes each such byte U+FFFD.
 */
export function decodeName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    name += length === 0 ? String.fromCharCode(0xdc00 + bytes[at]!) : bytes.toString('utf8', at, at + length);
    at += Math.max(length, 1);
  }
  return name;
}

/** The bytes of a name that `decodeName`, or a client, gave. */
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

/** The length of the UTF-8 character that begins here; 0 when none does. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = bytes.subarray(at, at + length);
  return character.length === length && isUtf8(character) ? length : 0;
}
