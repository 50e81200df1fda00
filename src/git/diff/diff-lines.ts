/** A line of a file's diff, with its old number, its new number, or both if it is unchanged. */
interface DiffLine {
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

const HUNK = /^@@ -(\d{1,15})(?:,(\d{1,15}))? \+(\d{1,15})(?:,(\d{1,15}))?/;

/** Lines between two hunks, which are unchanged: the first old and new number, and the first old number after them. */
interface UnchangedLines {
  readonly oldLine: number;
  readonly newLine: number;
  /** Infinity after the last hunk: the diff does not tell how long the file is. */
  readonly oldEnd: number;
}

/** Yields the lines of the hunks of a file (`FileDiff.text`). */
export function* parseDiffLines(text: string): Generator<DiffLine> {
  for (const part of parseDiff(text)) if (!('oldEnd' in part)) yield part;
}

/**
 * Returns `diff` for a line in a hunk or between hunks, and null for a line that the file cannot have. Returns `after`
 * for a line after the last hunk, which exists only if the file is long enough.
 */
export function locateLine(text: string, { oldLine, newLine }: DiffLine): 'diff' | 'after' | null {
  for (const part of parseDiff(text)) {
    if (!('oldEnd' in part)) {
      if (part.oldLine === oldLine && part.newLine === newLine) return 'diff';
    } else if (oldLine !== null && newLine !== null && oldLine >= part.oldLine && oldLine < part.oldEnd) {
      if (oldLine - part.oldLine !== newLine - part.newLine) return null;
      return part.oldEnd === Infinity ? 'after' : 'diff';
    }
  }
  return null;
}

function* parseDiff(text: string): Generator<DiffLine | UnchangedLines> {
  let [oldLine, newLine] = [1, 1];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end + 1;
    const sign = text[start];
    if (sign === '@') {
      const hunk = HUNK.exec(text.slice(start, Math.min(next, start + 100)));
      if (hunk !== null) {
        const [oldStart, newStart] = [firstLine(hunk[1], hunk[2]), firstLine(hunk[3], hunk[4])];
        yield { oldLine, newLine, oldEnd: oldStart };
        [oldLine, newLine] = [oldStart, newStart];
      }
    } else if (sign === '+') yield { oldLine: null, newLine: newLine++ };
    else if (sign === '-') yield { oldLine: oldLine++, newLine: null };
    else if (sign === ' ') yield { oldLine: oldLine++, newLine: newLine++ };
    start = next;
  }
  yield { oldLine, newLine, oldEnd: Infinity };
}

/** Returns the first line of one side of a hunk. A side without lines (count 0) is given by the line before it. */
const firstLine = (line = '0', count = '1') => Number(line) + (count === '0' ? 1 : 0);
