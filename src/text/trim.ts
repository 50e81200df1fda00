/*
 * These functions trim and truncate texts without regular expressions: `/\/+$/` takes quadratic time, which is seconds for a
 * text with 60,000 slashes before its last character.
 */

/** Removes the given characters from the end of a text. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Truncates a text to a number of UTF-8 bytes without splitting a character. */
export function truncateToBytes(text: string, maxBytes: number): string {
  // A UTF-16 code unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // Continuation bytes of a character begin with the bits 10.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Truncates a text to a number of characters (code points). */
export function truncateToCharacters(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('');
}

/** Returns whether a text ends with a high surrogate, so that cutting it here would split a character. */
export function endsInHighSurrogate(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}

/** Removes the given characters from both ends of a text. */
export function trimCharacters(text: string, characters: string): string {
  const endTrimmedText = trimEndCharacters(text, characters);
  let start = 0;
  while (start < endTrimmedText.length && characters.includes(endTrimmedText[start]!)) start += 1;
  return endTrimmedText.slice(start);
}

/** Collapses repeated slashes of a path and drops a trailing one: real clients send `/features/` and `//features`. */
export function collapseSlashes(path: string): string {
  const collapsedPath = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  return collapsedPath.length > 1 && collapsedPath.endsWith('/') ? collapsedPath.slice(0, -1) : collapsedPath;
}
