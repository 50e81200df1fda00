/**
 * Why a git command did not do what it was asked. This file is the only one that reads what git writes to its
 * standard error; everybody else looks at `kind`.
 */
export type GitFailure =
  /** The directory is absent or is no repository: read it as an empty one. */
  | { readonly kind: 'no-repository' }
  /** The program could not be started. */
  | { readonly kind: 'unavailable'; readonly text: string }
  /** It ran longer than its limit and was stopped. */
  | { readonly kind: 'timed-out' }
  /** It needed more memory than it may hold. */
  | { readonly kind: 'out-of-memory'; readonly text: string }
  /** It wrote more than the caller takes and was stopped. */
  | { readonly kind: 'too-large'; readonly limit: number }
  /** The caller, or `git.close()`, stopped it. */
  | { readonly kind: 'stopped' }
  /** A revision, ref, path or object that it was given does not exist. */
  | { readonly kind: 'not-found'; readonly text: string }
  /** Another process holds the lock of a ref or of a file. */
  | { readonly kind: 'locked'; readonly ref: string | null }
  /** A ref is not where the caller thinks it is. `actual` is null when git does not say. */
  | { readonly kind: 'moved'; readonly ref: string; readonly expected: string | null; readonly actual: string | null }
  /** `a` and `a/b` cannot both be refs. */
  | { readonly kind: 'conflict'; readonly ref: string; readonly existing: string | null }
  /** A ref was to point to an object that is absent (or, for a branch, to something that is no commit). */
  | { readonly kind: 'missing-object'; readonly ref: string | null; readonly oid: string | null }
  /** The text is no valid ref name. */
  | { readonly kind: 'invalid-name'; readonly ref: string | null }
  /** An object is broken or absent where it must be. */
  | { readonly kind: 'corrupt'; readonly text: string }
  /** What was to be stored breaks git's own rules for objects (`git fsck`). */
  | { readonly kind: 'unsound'; readonly text: string }
  /** Anything else: the exit code (null: a signal) and the beginning of what git said, for the log. */
  | { readonly kind: 'failed'; readonly code: number | null; readonly text: string };

/** Thrown where a failure is nobody's answer: the repository or the machine is broken. Carries the typed failure. */
export class GitFailed extends Error {
  readonly failure: GitFailure;

  constructor(command: string, failure: GitFailure) {
    super(`git ${command}: ${describe(failure)}`);
    this.name = 'GitFailed';
    this.failure = failure;
  }
}

/** It asked for more than one answer may cost: no fault of the server or of the repository. */
export function isOverLimit(error: unknown): boolean {
  if (!(error instanceof GitFailed)) return false;
  const { kind } = error.failure;
  return kind === 'timed-out' || kind === 'too-large' || kind === 'out-of-memory';
}

/** The disk, or git on it, did not do what it must: no fault of whoever asked. */
export function isOfStorage(error: unknown): boolean {
  if (!(error instanceof GitFailed)) return error instanceof Error && 'syscall' in error;
  return !isOverLimit(error) && error.failure.kind !== 'stopped';
}

/** What is asked for; null: it asked for more than one answer may cost. */
export async function unlessOverLimit<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (isOverLimit(error)) return null;
    throw error;
  }
}

function describe(failure: GitFailure): string {
  return 'text' in failure ? `${failure.kind}: ${failure.text}` : failure.kind;
}

type Reading = readonly [pattern: RegExp, failure: (found: RegExpExecArray, text: string) => GitFailure];

/** In this order: the first that matches says what happened. `LC_ALL=C` keeps the texts in English. */
const readings: readonly Reading[] = [
  [/fsck error in pack/, (_found, text) => ({ kind: 'unsound', text })],
  [
    /out of memory|attempting to allocate \d+ over limit|Cannot allocate memory|unable to create thread/i,
    (_found, text) => ({ kind: 'out-of-memory', text }),
  ],
  [/not a git repository|does not appear to be a git repository/, () => ({ kind: 'no-repository' })],
  [
    /cannot lock ref '([^']*)': is at ([0-9a-f]{40}) but expected ([0-9a-f]{40})/,
    (found) => ({ kind: 'moved', ref: found[1]!, actual: found[2]!, expected: found[3]! }),
  ],
  [
    /cannot lock ref '([^']*)': reference already exists/,
    (found) => ({ kind: 'moved', ref: found[1]!, actual: null, expected: null }),
  ],
  [
    /cannot lock ref '([^']*)': (?:reference is missing but expected ([0-9a-f]{40})|unable to resolve reference)/,
    (found) => ({ kind: 'moved', ref: found[1]!, actual: null, expected: found[2] ?? null }),
  ],
  [
    /cannot lock ref '([^']*)': '([^']*)' exists; cannot create/,
    (found) => ({ kind: 'conflict', ref: found[1]!, existing: found[2]! }),
  ],
  [
    /cannot lock ref '([^']*)': cannot process '([^']*)' and '([^']*)' at the same time/,
    (found) => ({ kind: 'conflict', ref: found[1]!, existing: found[2] === found[1] ? found[3]! : found[2]! }),
  ],
  [
    /cannot lock ref '([^']*)': (?:there are still refs under '([^']*)'|there is a non-empty directory)/,
    (found) => ({ kind: 'conflict', ref: found[1]!, existing: found[2] ?? null }),
  ],
  [
    /cannot update ref '([^']*)': trying to write (?:ref '[^']*' with nonexistent object|non-commit object) ([0-9a-f]{40})/,
    (found) => ({ kind: 'missing-object', ref: found[1]!, oid: found[2]! }),
  ],
  [/cannot lock ref '([^']*)': (?:File exists|Unable to create)/, (found) => ({ kind: 'locked', ref: found[1]! })],
  [/Unable to create '[^']*\.lock': File exists|unable to lock|could not lock/i, () => ({ kind: 'locked', ref: null })],
  [
    /invalid ref format: (\S+)|refusing to update ref with bad name '([^']*)'|'([^']*)' is not a valid (?:ref|branch|tag) name/,
    (found) => ({ kind: 'invalid-name', ref: found[1] ?? found[2] ?? found[3] ?? null }),
  ],
  [/^fatal: bad object [0-9a-f]{40}$/, (_found, text) => ({ kind: 'not-found', text })],
  [
    /is corrupt|bad object|unable to read (?:tree|sha1|[0-9a-f]{40})|missing (?:blob|tree|commit) object|inflate/i,
    (_found, text) => ({ kind: 'corrupt', text }),
  ],
  [
    /unknown revision|did not match any files|Not a valid (?:object name|commit name)|no such (?:ref|path)|does not exist|bad revision|couldn't find remote ref|Needed a single revision|has only \d+ lines?/i,
    (_found, text) => ({ kind: 'not-found', text }),
  ],
];

/** How the shell that starts git says that there is no git. */
const NO_PROGRAM = 127;

/** Reads what git wrote to its standard error before it ended with `code` (null: ended by a signal). */
export function readFailure(code: number | null, stderr: string): GitFailure {
  const text = stderr.trim().slice(0, 4096);
  if (code === NO_PROGRAM) return { kind: 'unavailable', text };
  for (const [pattern, failure] of readings) {
    const found = pattern.exec(text);
    if (found !== null) return failure(found, text);
  }
  return { kind: 'failed', code, text };
}
