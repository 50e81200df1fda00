import { isJsonObject, type JsonObject } from '#text/json-object.ts';

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

/**
 * Of a stack without end, so many of its last calls are shown, and around each so many lines: `{}` is a frame, which takes
 * ninety characters to be shown.
 */
const MOST_FRAMES = 1_000;
const MOST_LINES = 100;

/** The frames that tell where it happened, the oldest call first: the used exception's, else the first thread's that has some. */
export function stackOf(event: JsonObject): Frame[] {
  const frames = framesOf(usedException(event));
  const told = frames.length > 0 ? frames : (entriesOf(event.threads).map(framesOf).find(isNotEmpty) ?? []);
  return told.slice(-MOST_FRAMES).map(frameOf);
}

/** The exception that speaks for an event: the first that has frames, else the first; null when there is none. */
export function usedException({ exception }: JsonObject): JsonObject | null {
  const all = entriesOf(exception);
  return all.find((each) => isNotEmpty(framesOf(each))) ?? all[0] ?? null;
}

/** `{"values":[...]}`, a bare list, or one object; what is no object is left out. */
function entriesOf(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  if (!isJsonObject(value)) return [];
  return 'values' in value ? entriesOf(value.values ?? []) : [value];
}

/** The calls of its stack trace, the oldest first. */
export function framesOf(entry: JsonObject | null): JsonObject[] {
  const stack = entry?.stacktrace;
  return isJsonObject(stack) && Array.isArray(stack.frames) ? stack.frames.filter(isJsonObject) : [];
}

function frameOf(frame: JsonObject): Frame {
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

function contextOf({ pre_context, context_line, post_context }: JsonObject, lineNo: number): Frame['context'] {
  const before = linesOf(pre_context).slice(-MOST_LINES);
  const lines = [...before, context_line, ...linesOf(post_context).slice(0, MOST_LINES)];
  return lines.flatMap((line, index): Frame['context'] => {
    const text = textOf(line);
    return text === null ? [] : [[lineNo - before.length + index, text]];
  });
}

const linesOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isNotEmpty = (list: readonly unknown[]) => list.length > 0;
const wholeNumber = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
