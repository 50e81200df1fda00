/** The text of a diff as lines with their numbers. */

type DiffLineKind = 'hunk' | 'context' | 'added' | 'removed' | 'note';

/** One line of a diff. */
export interface DiffLine {
  /** `hunk` is the header of a hunk, `note` says that a line has no end. */
  readonly kind: DiffLineKind;
  /** The line with its sign: ` `, `+` or `-`. */
  readonly text: string;
  /** The line before the change; null for added lines, headers and notes. */
  readonly oldLine: number | null;
  /** The line after the change; null for removed lines, headers and notes. */
  readonly newLine: number | null;
}

/** A line of a file before the change, after it, or both. */
export type DiffLineNumbers = Pick<DiffLine, 'oldLine' | 'newLine'>;

/** The line numbers of a hunk: `@@ -12,3 +12,4 @@ function`. */
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Returns the lines of a unified diff without file headers. Lines before the first hunk are left out. */
export function parseDiff(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [oldLine, newLine] = [0, 0];
  const texts = diff.split('\n');
  // The end of the last line is not another line.
  if (texts.at(-1) === '') texts.pop();
  for (const text of texts) {
    const header = HUNK.exec(text);
    if (header !== null) {
      [oldLine, newLine] = [Number(header[1]), Number(header[2])];
      lines.push({ kind: 'hunk', text, oldLine: null, newLine: null });
      continue;
    }
    if (lines.length === 0) continue;
    const kind = KINDS[text.charAt(0)] ?? 'context';
    lines.push({
      kind,
      text,
      oldLine: kind === 'context' || kind === 'removed' ? oldLine++ : null,
      newLine: kind === 'context' || kind === 'added' ? newLine++ : null,
    });
  }
  return lines;
}

const KINDS: Readonly<Record<string, DiffLineKind>> = { '+': 'added', '-': 'removed', '\\': 'note' };

/** Returns the numbers of added and removed lines. */
export function countChanges(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  const count = (kind: DiffLineKind) => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

/** A part of a diff that is rendered in one task. `extra` is the key of a line with content below it. */
export interface DiffSegment {
  readonly start: number;
  readonly end: number;
  readonly extra: string | null;
}

/**
 * Divides the lines of a diff into segments that end after each `maxLines` lines, and after each line that something follows, such
 * as a thread. A new thread divides one segment and leaves the others as they are.
 */
export function divideLines(
  lines: readonly DiffLine[],
  keysWithExtra: Pick<ReadonlySet<string>, 'has' | 'size'>,
  maxLines: number,
): readonly DiffSegment[] {
  const segments: DiffSegment[] = [];
  let start = 0;
  for (let end = 1; end <= lines.length; end++) {
    // Most files have no threads, so their lines need no keys.
    const key = keysWithExtra.size === 0 ? null : toLineKey(lines[end - 1]!);
    const extra = key !== null && keysWithExtra.has(key) ? key : null;
    if (extra === null && end % maxLines > 0 && end < lines.length) continue;
    segments.push({ start, end, extra });
    start = end;
  }
  return segments;
}

/** Returns the key of a line in its file, `12_13`; an added line has no old number: `_13`. Null for headers and notes. */
export function toLineKey({ oldLine, newLine }: DiffLineNumbers): string | null {
  return oldLine === null && newLine === null ? null : `${oldLine ?? ''}_${newLine ?? ''}`;
}

/** Returns the numbers of a key. */
export function parseLineKey(key: string): DiffLineNumbers {
  const [oldLine = '', newLine = ''] = key.split('_');
  return { oldLine: oldLine === '' ? null : Number(oldLine), newLine: newLine === '' ? null : Number(newLine) };
}
