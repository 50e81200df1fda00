/**
 * Where the bytes of a request begin, by its header `Content-Range: start-end` (contract/runners.md §3.4): what stands
 * behind the start is not looked at. NaN: nobody can tell.
 */
export function parseRangeStart(header: string): number {
  const [, digits] = /^\s*(\d{1,15})(?!\d)/.exec(header) ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** The header that tells a runner how much there is, and so where it goes on. */
export function rangeHeader(size: number): Readonly<Record<string, string>> {
  return { Range: `0-${size}` };
}
