/** Selected lines of a file in an address: `#L3` or `#L3-7`. */
export interface LineRange {
  /** From 1. */
  readonly first: number;
  readonly last: number;
}

/** Returns the lines that a fragment selects; null if it selects none of a file with so many lines. */
export function parseLineRange(hash: string, lineCount: number): LineRange | null {
  const match = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash);
  if (match === null) return null;
  const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
  const [first, last] = [Math.max(1, Math.min(from, to)), Math.min(lineCount, Math.max(from, to))];
  return first > last ? null : { first, last };
}

/** Returns the fragment that selects the lines between two, in any order. */
export function formatLineRange(one: number, other: number): string {
  return one === other ? `#L${one}` : `#L${Math.min(one, other)}-${Math.max(one, other)}`;
}
