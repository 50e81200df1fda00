/**
 * Splits a search text into words, all of which must occur (contract/planning.md §3.6 "search"). Words are separated by blanks;
 * a text in double quotes is one word. For `containsWords`; fold the case first.
 */
export function parseSearchWords(text: string): readonly string[] {
  const words = new Set<string>();
  let remaining = text.trim();
  while (remaining !== '') {
    const end = quotedEnd(remaining) ?? wordEnd(remaining);
    const word = remaining.slice(0, end);
    words.add(word.length > 2 && quotedEnd(word) === word.length ? word.slice(1, -1) : word);
    remaining = remaining.slice(end).trimStart();
  }
  return [...words];
}

/** Returns the end of a quoted word at the start of the text; its closing quote is followed by a blank or the end. */
function quotedEnd(text: string): number | null {
  const close = text.startsWith('"') ? text.indexOf('"', 1) : -1;
  if (close === -1) return null;
  return close + 1 === text.length || isBlank(text[close + 1]!) ? close + 1 : null;
}

function wordEnd(text: string): number {
  let end = 0;
  while (end < text.length && !isBlank(text[end]!)) end++;
  return end;
}

const isBlank = (character: string) => character.trim() === '';
