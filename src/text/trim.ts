/*
 * Cutting the ends off a text. By hand where characters are looked for: `/\/+$/` tries every slash of `x///…x` anew, which
 * takes seconds for 60,000 of them.
 */

/** The text without those of `characters` that stand at its end. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** At most so many bytes of UTF-8 from the beginning of a text, in whole characters. */
export function firstBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= most) return text;
  let end = most;
  // Not in the middle of a character: its later bytes begin with 10.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** At most so many characters from the beginning of a text. */
export function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('');
}

/** The text without those of `characters` that stand at either end. */
export function trimmed(text: string, characters: string): string {
  const before = trimmedEnd(text, characters);
  let start = 0;
  while (start < before.length && characters.includes(before[start]!)) start += 1;
  return before.slice(start);
}
