/** A line of a file's diff, with its old number, its new number, or both if it is unchanged. */
export interface DiffLine {
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

const HUNK = /^@@ -(\d{1,15})(?:,\d{1,15})? \+(\d{1,15})/;

/** Yields the lines of the hunks of a file (`FileDiff.text`). */
export function* parseDiffLines(text: string): Generator<DiffLine> {
  let [before, after] = [0, 0];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end + 1;
    const sign = text[start];
    if (sign === '@') {
      const hunk = HUNK.exec(text.slice(start, Math.min(next, start + 100)));
      if (hunk !== null) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    } else if (sign === '+') yield { oldLine: null, newLine: after++ };
    else if (sign === '-') yield { oldLine: before++, newLine: null };
    else if (sign === ' ') yield { oldLine: before++, newLine: after++ };
    start = next;
  }
}
