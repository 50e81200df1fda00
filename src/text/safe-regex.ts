import { RE2JS, RE2JSSyntaxException } from 're2js';

/** Regular expressions that users write: RE2, whose time is linear in the text, and whose size is bounded here. */

/** What an expression may become at most: its length times how often its counts repeat it. */
const MOST_WEIGHT = 10_000;

/** RE2 repeats nothing more often. */
const MOST_REPEATS = 1000;

/** The expression, or in RE2's words what is wrong with it. Linear in its length. */
export function readExpression(source: string): RE2JS | string {
  if (weightOf(source) > MOST_WEIGHT) return 'expression too large';
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return `${error.getDescription()}: ${error.getPattern()}`;
  }
}

/**
 * What it costs at most to look for it, a character of the text. `(abc){3}{5}` is made of fifteen copies, and counts beside each
 * other of as many as their sum: the larger of both.
 */
export function weightOf(source: string): number {
  let [sum, product] = [1, 1];
  for (const [, least = '0', most = ''] of source.matchAll(/\{(\d{1,4})(?:,(\d{0,4}))?\}/g)) {
    const count = Math.max(1, Number(most || least));
    sum += count;
    product = Math.min(MOST_REPEATS, product * count);
  }
  return source.length * Math.max(Math.min(MOST_REPEATS, sum), product);
}
