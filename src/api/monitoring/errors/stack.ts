/**
 * The stack of an event as its SDK has sent it (contract/monitoring.md §12, §13). What has another type than it should counts as
 * absent: events are foreign, and shown as far as they are understood. Pure.
 */

export interface Frame {
  readonly lineNo: number | null;
  readonly colNo: number;
  readonly filename: string | null;
  readonly abs_path: string | null;
  readonly function: string | null;
  /** Lines of the source around it, each with its number. */
  readonly context: [number: number, line: string][];
}

type Fields = Readonly<Record<string, unknown>>;

/** The frames that tell where it happened, the oldest call first: the used exception's, else the first thread's that has some. */
export function stackOf(event: Fields): Frame[] {
  const frames = framesOf(usedException(event));
  const told = frames.length > 0 ? frames : (entriesOf(event.threads).map(framesOf).find(isNotEmpty) ?? []);
  return told.map(frameOf);
}

/** The exception that speaks for an event: the first that has frames, else the first; null when there is none. */
export function usedException({ exception }: Fields): Fields | null {
  const all = entriesOf(exception);
  return all.find((each) => isNotEmpty(framesOf(each))) ?? all[0] ?? null;
}

/** `{"values":[...]}`, a bare list, or one object; what is no object is left out. */
function entriesOf(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.filter(isFields);
  if (!isFields(value)) return [];
  return 'values' in value ? entriesOf(value.values ?? []) : [value];
}

/** The calls of its stack trace, the oldest first. */
export function framesOf(entry: Fields | null): Fields[] {
  const stack = entry?.stacktrace;
  return isFields(stack) && Array.isArray(stack.frames) ? stack.frames.filter(isFields) : [];
}

function frameOf(frame: Fields): Frame {
  const lineNo = wholeNumber(frame.lineno);
  return {
    lineNo,
    colNo: wholeNumber(frame.colno) ?? 0,
    filename: textOf(frame.filename),
    abs_path: textOf(frame.abs_path),
    function: textOf(frame.function),
    context: lineNo === null ? [] : contextOf(frame, lineNo),
  };
}

function contextOf({ pre_context, context_line, post_context }: Fields, lineNo: number): Frame['context'] {
  const before = linesOf(pre_context);
  const lines = [...before, context_line, ...linesOf(post_context)];
  return lines.flatMap((line, index): Frame['context'] => {
    const text = textOf(line);
    return text === null ? [] : [[lineNo - before.length + index, text]];
  });
}

const linesOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isNotEmpty = (list: readonly unknown[]) => list.length > 0;
const wholeNumber = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
