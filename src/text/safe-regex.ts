import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Maximum cost of an expression, as `getRegexCost` returns it. */
const MAX_COST = 10_000;

/** Maximum `getRegexCost` times number of matched characters: about half a second. */
export const MAX_MATCHING_WORK = 100_000_000;

/** The highest repetition count that RE2 supports. */
const MAX_REPEATS = 1000;

/**
 * Compiles a regular expression of a user. Returns the error message if it is invalid or too large. RE2 matches in linear time; this function
 * bounds the size of the compiled expression.
 */
export function compileRegex(source: string): RE2JS | string {
  if (getRegexCost(source) > MAX_COST) return 'expression too large';
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `${error.getDescription()}: ${error.getPattern()}`;
  }
}

/** Returns the error of a regular expression as a list for a field, or an empty list. */
export function validateRegexSyntax(source: string): string[] {
  const regex = compileRegex(source);
  return typeof regex === 'string' ? [`not valid RE2 syntax: ${regex}`] : [];
}

/** Returns the source of a regular expression between slashes, with its flags inside, from the first line that is one; else null. */
export function parseRegexLiteral(text: string): string | null {
  for (const line of text.split('\n')) {
    const end = line.lastIndexOf('/');
    const flags = line.slice(end + 1);
    if (line.startsWith('/') && end > 0 && /^[ismU]*$/.test(flags))
      return (flags === '' ? '' : `(?${flags})`) + line.slice(1, end);
  }
  return null;
}

/**
 * Returns an upper bound of the cost of a match per character of the text. Nested counts multiply (`(abc){3}{5}` is fifteen
 * copies) and adjacent counts add up: the larger of both applies.
 */
export function getRegexCost(source: string): number {
  let [countSum, countProduct] = [1, 1];
  for (const [, min = '0', max = ''] of source.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    const count = Math.max(1, Number(max || min));
    countSum += count;
    countProduct = Math.min(MAX_REPEATS, countProduct * count);
  }
  return source.length * Math.max(Math.min(MAX_REPEATS, countSum), countProduct);
}

/**
 * Returns whether the text matches a pattern given as the parts between its wildcards. The text must start with the
 * first part, end with the last, and contain the others in order. Linear in the length of the text.
 */
export function matchesParts(text: string, parts: readonly string[]): boolean {
  const [first = '', ...otherParts] = parts;
  const last = otherParts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let start = first.length;
  for (const part of otherParts) {
    const index = text.indexOf(part, start);
    if (index === -1) return false;
    start = index + part.length;
  }
  return text.length - last.length >= start && text.endsWith(last);
}
