/**
 * Splits a search text into words, all of which must occur (contract/planning.md §3.6 "search"). Words are separated by blanks;
 * a text in double quotes is one word. For `containsWords`; fold the case first.
 */
export function parseSearchWords(text: string): readonly string[] {
  const words = new Set<string>();
  let remaining = text.trim();
  while (remaining !== '') {
    const end = findQuotedEnd(remaining) ?? findWordEnd(remaining);
    const word = remaining.slice(0, end);
    words.add(word.length > 2 && findQuotedEnd(word) === word.length ? word.slice(1, -1) : word);
    remaining = remaining.slice(end).trimStart();
  }
  return [...words];
}

/** Returns the end of a quoted word at the start of the text, or null. A blank or the end of the text must follow the closing quote. */
function findQuotedEnd(text: string): number | null {
  const closingQuote = text.startsWith('"') ? text.indexOf('"', 1) : -1;
  if (closingQuote === -1) return null;
  const end = closingQuote + 1;
  return end === text.length || isBlank(text[end]!) ? end : null;
}

/** Returns the end of the word at the start of the text. */
function findWordEnd(text: string): number {
  let end = 0;
  while (end < text.length && !isBlank(text[end]!)) end++;
  return end;
}

const isBlank = (character: string) => character.trim() === '';
