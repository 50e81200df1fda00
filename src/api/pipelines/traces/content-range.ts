/**
 * Returns the start offset of the header `Content-Range: start-end` (contract/runners.md §3.4). Ignores everything
 * after the start. NaN if the header is invalid.
 */
export function parseRangeStart(header: string): number {
  const [, digits] = /^\s*(\d{1,15})(?!\d)/.exec(header) ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** Returns the header that tells the runner the length of the log, where it continues. */
export function rangeHeader(size: number): Readonly<Record<string, string>> {
  return { Range: `0-${size}` };
}
