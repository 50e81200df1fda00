/** The first and last byte of a range, inclusive, from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the range of a header `Range: bytes=...` in a resource of this size in bytes. `unsatisfiable`: the range is
 * valid, but selects nothing. Null: the header is ignored, because it is invalid, names several ranges or the end of an empty resource (RFC 9110 §14.1.2, §14.2).
 */
export function resolveByteRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    if (Number(last) === 0) return 'unsatisfiable';
    // The end of nothing is satisfiable, but a header `Content-Range` cannot name it.
    return size === 0 ? null : { start: size - Math.min(Number(last), size), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
