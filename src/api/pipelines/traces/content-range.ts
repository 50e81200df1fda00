/**
 * Returns the start offset of the header `Content-Range: start-end` (contract/runners.md §3.4), or NaN
 * if the header is invalid. Ignores everything after the start.
 */
export function parseRangeStart(header: string): number {
  const [, digits] = /^\s*(\d{1,15})(?!\d)/.exec(header) ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** Returns the header that tells the runner the length of the log in bytes: the next append starts there. */
export function createRangeHeader(size: number): Readonly<Record<string, string>> {
  return { Range: `0-${size}` };
}
