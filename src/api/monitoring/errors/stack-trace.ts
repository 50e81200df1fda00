import { isJsonObject, type JsonObject } from '#text/json-object.ts';

// Reads the stack trace from an event's payload (contract/monitoring.md §12, §13). A value of the wrong type counts as
// absent, because SDKs send arbitrary payloads. Pure.

export interface Frame {
  readonly lineNo: number | null;
  readonly colNo: number;
  readonly filename: string | null;
  readonly abs_path: string | null;
  readonly function: string | null;
  /** Source lines around the call, each with its number. */
  readonly context: [number: number, line: string][];
}

/**
 * Limits of the stack trace: the last frames, and the source lines on each side of a call. Without a limit, a payload of empty
 * frames (`{}`) would grow to many times its size, because each serialized frame takes 90 characters.
 */
const MAX_FRAMES = 1_000;
/** Maximum number of exceptions of an event that are compared; those before the last ones are ignored. */
const MAX_EXCEPTIONS = 1_000;
const MAX_CONTEXT_LINES = 100;

/** Returns the stack trace, oldest call first: the frames of the event, or else of the first thread with frames. */
export function buildStackTrace(event: JsonObject): Frame[] {
  const eventFrames = getEventFrames(event);
  const frames = isNotEmpty(eventFrames)
    ? eventFrames
    : (listEntries(event.threads).map(getFrames).find(isNotEmpty) ?? []);
  return frames.map(toFrame);
}

/**
 * Returns the exception that the program threw, which titles the event. The others are its causes, the members of a group, or
 * suppressed. SDKs that do not send how they are related send the thrown exception last.
 */
export function selectException(event: JsonObject): JsonObject | null {
  const exceptions = listExceptions(event);
  const candidates = exceptions.filter((entry) => !isPartOfAnother(entry));
  return (
    candidates.findLast((entry) => Number.isInteger(getMechanism(entry).exception_id)) ??
    candidates.findLast((entry) => getMechanism(entry).is_exception_group === true) ??
    candidates.at(-1) ??
    exceptions.at(-1) ??
    null
  );
}

/** Returns whether an exception is a cause of another one, a member of its group, or was suppressed by it. */
function isPartOfAnother(exception: JsonObject): boolean {
  const { type, exception_id, parent_id } = getMechanism(exception);
  return type === 'suppressed' || (Number.isInteger(parent_id) && parent_id !== exception_id);
}

const getMechanism = ({ mechanism }: JsonObject): JsonObject => (isJsonObject(mechanism) ? mechanism : {});

const listExceptions = (event: JsonObject) => listEntries(getAttribute(event, 'exception')).slice(-MAX_EXCEPTIONS);

/**
 * Returns the frames of an event, oldest call first: those of the selected exception, of the event itself, or of the last
 * exception that has any. A template, in which an error occurred, is the only frame of an event without others.
 */
export function getEventFrames(event: JsonObject): JsonObject[] {
  const owners = [selectException(event), event, ...listExceptions(event).toReversed()];
  const template = getAttribute(event, 'template');
  return owners.map(getFrames).find(isNotEmpty) ?? (isJsonObject(template) ? [template] : []);
}

/** Returns the objects in `{"values":[...]}` or in a plain array, or a single object as a list. */
function listEntries(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  if (!isJsonObject(value)) return [];
  return 'values' in value ? listEntries(value.values ?? []) : [value];
}

/** Returns the last frames of an exception, thread or event, oldest call first. */
function getFrames(owner: JsonObject | null): JsonObject[] {
  const stack = owner && getAttribute(owner, 'stacktrace');
  return isJsonObject(stack) && Array.isArray(stack.frames) ? stack.frames.filter(isJsonObject).slice(-MAX_FRAMES) : [];
}

function toFrame(frame: JsonObject): Frame {
  const lineNo = toInteger(frame.lineno);
  return {
    lineNo,
    colNo: toInteger(frame.colno) ?? 0,
    filename: toText(frame.filename),
    abs_path: toText(frame.abs_path),
    function: toText(frame.function),
    context: lineNo === null ? [] : getContextLines(frame, lineNo),
  };
}

function getContextLines({ pre_context, context_line, post_context }: JsonObject, lineNo: number): Frame['context'] {
  const before = toArray(pre_context).slice(-MAX_CONTEXT_LINES);
  const lines = [...before, context_line, ...toArray(post_context).slice(0, MAX_CONTEXT_LINES)];
  return lines.flatMap((line, index): Frame['context'] => {
    const text = toText(line);
    return text === null ? [] : [[lineNo - before.length + index, text]];
  });
}

const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isNotEmpty = (list: readonly unknown[]) => list.length > 0;
const toInteger = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);

function toText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Older SDKs send some attributes of events under these names (contract/monitoring.md §12 "Older names"). */
const OLDER_NAMES = {
  exception: 'sentry.interfaces.Exception',
  logentry: 'sentry.interfaces.Message',
  request: 'sentry.interfaces.Http',
  stacktrace: 'sentry.interfaces.Stacktrace',
  template: 'sentry.interfaces.Template',
  user: 'sentry.interfaces.User',
} as const;

/** Returns an attribute of an event or of an exception by its name, or else by its older name. */
export function getAttribute(object: JsonObject, name: keyof typeof OLDER_NAMES): unknown {
  return object[name] ?? object[OLDER_NAMES[name]];
}

// Selects the stack frame that is shown as the location of an error (contract/monitoring.md §12 "culprit"). Pure.

/**
 * Returns the last frame of the application, or else the last frame of all. Frames of an SDK are never selected: they are the
 * last ones of every panic, whatever caused it. Returns null if no frame remains.
 */
export function selectCulpritFrame(frames: readonly JsonObject[]): JsonObject | null {
  const isOfApplication = (frame: JsonObject) => frame.in_app === true && !isRuntimeFrame(frame) && !isSdkFrame(frame);
  return frames.findLast(isOfApplication) ?? frames.findLast((frame) => !isSdkFrame(frame)) ?? null;
}

/** Starts of the module and function names of SDKs. */
const SDK_NAMES: readonly string[] = [
  '@sentry',
  'Elixir.Sentry.',
  'Raven_',
  'Sentry.',
  'Sentry\\',
  'com.getsentry.raven.',
  'github.com/getsentry/',
  'io.sentry.',
  'raven.base.',
  'raven.contrib.',
  'raven.handlers.',
  'raven.lib:',
  'raven.utils.',
  'sentry_sdk.',
];
/** Names of the crates of the SDK for Rust, also in the form of a trait's implementation (`<sentry_panic::... as ...>`). */
const SDK_CRATE =
  /^<?sentry(?:_(?:actix|anyhow|backtrace|contexts|core|debug_images|failure|log|opentelemetry|panic|slog|tower|tracing|types))?::/;
/** Parts of the paths of SDKs' source files. */
const SDK_PATHS: readonly string[] = [
  '/gems/sentry-',
  '/node_modules/@sentry/',
  '/node_modules/@sentry-internal/',
  '/node_modules/raven/',
  '/node_modules/raven-js/',
  '/sentry_sdk/',
  '/vendor/sentry/',
  'package:sentry/',
  'package:sentry_',
];

function isSdkFrame(frame: JsonObject): boolean {
  // An SDK's main module may be named by its prefix without the separator.
  const names = [...getTexts(frame.module).map((module) => `${module}.`), ...getTexts(frame.function)];
  const hasSdkName = names.some((name) => SDK_CRATE.test(name) || SDK_NAMES.some((prefix) => name.startsWith(prefix)));
  return hasSdkName || getPaths(frame).some((path) => SDK_PATHS.some((part) => path.includes(part)));
}

/** Rust's standard library, some frames of which the SDK reports as the application's: crates and parts of paths. */
const RUNTIME_CRATES: readonly unknown[] = ['__rustc', 'alloc', 'core', 'std'];
const RUNTIME_PATHS: readonly string[] = ['/rustc/', '/rustlib/src/rust/library/'];
const RUNTIME_FUNCTION = /^(?:__rust|rust_begin_unwind$|<?(?:alloc|core|std)::)/;

function isRuntimeFrame(frame: JsonObject): boolean {
  return (
    RUNTIME_CRATES.includes(frame.package) ||
    getTexts(frame.function).some((name) => RUNTIME_FUNCTION.test(name)) ||
    getPaths(frame).some((path) => RUNTIME_PATHS.some((part) => path.includes(part)))
  );
}

const getTexts = (...values: readonly unknown[]) => values.filter((value) => typeof value === 'string');
const getPaths = ({ abs_path, filename }: JsonObject) =>
  getTexts(abs_path, filename).map((path) => `/${path.replaceAll('\\', '/')}`);
