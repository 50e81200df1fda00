import { STACK_OVERFLOW_CODE } from './process-spawner-messages.ts';

/** Why a git command failed. Only this file parses the standard error of git; other code uses `kind`. */
export type GitFailure =
  /** The directory is missing or is not a repository: treat it as empty. */
  | { readonly kind: 'no-repository' }
  /** The program could not be started. */
  | { readonly kind: 'unavailable'; readonly text: string }
  /** It exceeded its time limit and was stopped. */
  | { readonly kind: 'timed-out' }
  /** It exceeded its memory limit. */
  | { readonly kind: 'out-of-memory'; readonly text: string }
  /** It overflowed its stack, which bounds how deep a tree may be. */
  | { readonly kind: 'stack-overflow' }
  /** It exceeded its output limit and was stopped. */
  | { readonly kind: 'too-large'; readonly limit: number }
  /** The caller, or `git.close()`, stopped it. */
  | { readonly kind: 'stopped' }
  /** The given revision, ref, path or object does not exist. */
  | { readonly kind: 'not-found'; readonly text: string }
  /** Another process holds the lock of a ref or of a file. */
  | { readonly kind: 'locked'; readonly ref: string | null }
  /** A ref is not at the expected id. `actual` is null if git does not report it. */
  | { readonly kind: 'moved'; readonly ref: string; readonly expected: string | null; readonly actual: string | null }
  /** `a` and `a/b` cannot both be refs. */
  | { readonly kind: 'conflict'; readonly ref: string; readonly existing: string | null }
  /** The new target of a ref is missing (or, for a branch, no commit). */
  | { readonly kind: 'missing-object'; readonly ref: string | null; readonly oid: string | null }
  /** The ref name is invalid. */
  | { readonly kind: 'invalid-name'; readonly ref: string | null }
  /** An object is corrupt or missing. */
  | { readonly kind: 'corrupt'; readonly text: string }
  /** The new objects violate git's rules (`git fsck`). */
  | { readonly kind: 'unsound'; readonly text: string }
  /** Any other failure: the exit code (null: killed by a signal) and the start of the standard error, for the log. */
  | { readonly kind: 'failed'; readonly code: number | null; readonly text: string };

/** Thrown when a git command fails in a way that its caller does not handle. Carries the typed failure. */
export class GitError extends Error {
  readonly failure: GitFailure;

  constructor(command: string, failure: GitFailure) {
    super(`git ${command}: ${describeFailure(failure)}`);
    this.name = 'GitError';
    this.failure = failure;
  }
}

const OVER_LIMIT_KINDS: ReadonlySet<GitFailure['kind']> = new Set([
  'timed-out',
  'too-large',
  'out-of-memory',
  'stack-overflow',
]);

/** Returns whether a command exceeded its limits: neither the server nor the repository is broken. */
export function isOverLimit(error: unknown): boolean {
  if (!(error instanceof GitError)) return false;
  const { kind } = error.failure;
  return OVER_LIMIT_KINDS.has(kind);
}

/** Returns whether storage or git failed, through no fault of the caller. */
export function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof GitError)) return error instanceof Error && 'syscall' in error;
  return !isOverLimit(error) && error.failure.kind !== 'stopped';
}

/** Returns the result of `work`, or null if it exceeded the limits of a git command. */
export async function runOrNullIfOverLimit<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isOverLimit(error)) return null;
    throw error;
  }
}

function describeFailure(failure: GitFailure): string {
  return 'text' in failure ? `${failure.kind}: ${failure.text}` : failure.kind;
}

type FailurePattern = readonly [pattern: RegExp, toFailure: (match: RegExpExecArray, text: string) => GitFailure];

/** The first pattern that matches decides. `LC_ALL=C` makes git write English. */
const FAILURE_PATTERNS: readonly FailurePattern[] = [
  [
    /did not receive expected object ([0-9a-f]{40})/,
    (match) => ({ kind: 'missing-object', ref: null, oid: match[1]! }),
  ],
  [/fsck error in pack/, (_match, text) => ({ kind: 'unsound', text })],
  [
    /out of memory|attempting to allocate \d+ over limit|Cannot allocate memory|unable to create thread/i,
    (_match, text) => ({ kind: 'out-of-memory', text }),
  ],
  [/not a git repository|does not appear to be a git repository/, () => ({ kind: 'no-repository' })],
  [
    /cannot lock ref '([^']*)': is at ([0-9a-f]{40}) but expected ([0-9a-f]{40})/,
    (match) => ({ kind: 'moved', ref: match[1]!, actual: match[2]!, expected: match[3]! }),
  ],
  [
    /cannot lock ref '([^']*)': reference already exists/,
    (match) => ({ kind: 'moved', ref: match[1]!, actual: null, expected: null }),
  ],
  [
    /cannot lock ref '([^']*)': (?:reference is missing but expected ([0-9a-f]{40})|unable to resolve reference)/,
    (match) => ({ kind: 'moved', ref: match[1]!, actual: null, expected: match[2] ?? null }),
  ],
  [
    /cannot lock ref '([^']*)': '([^']*)' exists; cannot create/,
    (match) => ({ kind: 'conflict', ref: match[1]!, existing: match[2]! }),
  ],
  [
    /cannot lock ref '([^']*)': cannot process '([^']*)' and '([^']*)' at the same time/,
    (match) => ({ kind: 'conflict', ref: match[1]!, existing: match[2] === match[1] ? match[3]! : match[2]! }),
  ],
  [
    /cannot lock ref '([^']*)': (?:there are still refs under '([^']*)'|there is a non-empty directory)/,
    (match) => ({ kind: 'conflict', ref: match[1]!, existing: match[2] ?? null }),
  ],
  [
    /cannot update ref '([^']*)': trying to write (?:ref '[^']*' with nonexistent object|non-commit object) ([0-9a-f]{40})/,
    (match) => ({ kind: 'missing-object', ref: match[1]!, oid: match[2]! }),
  ],
  [/cannot lock ref '([^']*)': (?:File exists|Unable to create)/, (match) => ({ kind: 'locked', ref: match[1]! })],
  [/Unable to create '[^']*\.lock': File exists|unable to lock|could not lock/i, () => ({ kind: 'locked', ref: null })],
  [
    /invalid ref format: (\S+)|refusing to update ref with bad name '([^']*)'|'([^']*)' is not a valid (?:ref|branch|tag) name/,
    (match) => ({ kind: 'invalid-name', ref: match[1] ?? match[2] ?? match[3] ?? null }),
  ],
  // Nothing but this line: the caller's id does not exist. With other lines the repository is corrupt (next pattern).
  [/^fatal: bad object [0-9a-f]{40}$/, (_match, text) => ({ kind: 'not-found', text })],
  [
    /is corrupt|bad object|unable to read (?:tree|sha1|[0-9a-f]{40})|missing (?:blob|tree|commit) object|inflate/i,
    (_match, text) => ({ kind: 'corrupt', text }),
  ],
  [
    /unknown revision|did not match any files|Not a valid (?:object name|commit name)|no such (?:ref|path)|does not exist|bad revision|couldn't find remote ref|Needed a single revision|has only \d+ lines?/i,
    (_match, text) => ({ kind: 'not-found', text }),
  ],
];

/** Exit code of the shell that starts git, if git is not installed. */
const NO_PROGRAM = 127;

/** Parses the standard error of a git process that exited with `code` (null: killed by a signal). */
export function parseFailure(code: number | null, stderr: string): GitFailure {
  const text = stderr.trim().slice(0, 4096);
  if (code === NO_PROGRAM) return { kind: 'unavailable', text };
  if (code === STACK_OVERFLOW_CODE) return { kind: 'stack-overflow' };
  for (const [pattern, toFailure] of FAILURE_PATTERNS) {
    const match = pattern.exec(text);
    if (match !== null) return toFailure(match, text);
  }
  return { kind: 'failed', code, text };
}
