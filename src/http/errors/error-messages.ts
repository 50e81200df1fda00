/** Error messages that many endpoints share, for their `errors`. Messages of a single resource are declared there. */

/** Validation errors, `{"message":{"<field>":["<text>"]}}`; the failure's value `errors` is the object. */
export const INVALID = [400, { message: '{errors}' }] as const satisfies ErrorEntry;

/** The resource already has the requested state. A 304 has no body. */
export const NOT_MODIFIED = [304, ''] as const satisfies ErrorEntry;

export const FORBIDDEN = [403, '403 Forbidden'] as const satisfies ErrorEntry;

/** A missing resource below an existing parent (contract/conventions.md §5). */
export const NOT_FOUND = [404, '404 Not found'] as const satisfies ErrorEntry;

/** The group or project in the path was deleted during the request. */
export const PARENT_NOT_FOUND = {
  Group: [404, '404 Group Not Found'],
  Project: [404, '404 Project Not Found'],
} as const satisfies Record<string, ErrorEntry>;

export const USER_NOT_FOUND = [404, '404 User Not Found'] as const satisfies ErrorEntry;

/** A request over an application rate limit (contract/conventions.md §8); the failure's value `seconds` is the time until a retry. */
export const TOO_MANY_REQUESTS = [
  429,
  { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
  { 'Retry-After': '{seconds}' },
] as const satisfies ErrorEntry;

/** A write to a repository that is being moved. Pushes by git get the same text. */
export const REPOSITORY_READ_ONLY = [
  400,
  'The repository is temporarily read-only. Please try again later.',
] as const satisfies ErrorEntry;

/** A commit to a branch to which the caller may not push. */
export const PUSH_FORBIDDEN = [
  403,
  '403 Forbidden - You are not allowed to push into this branch',
] as const satisfies ErrorEntry;

/** The branch was updated by somebody else while the commit was created. */
export const BRANCH_MOVED = [
  400,
  'Could not update refs/heads/{branch}. Please refresh and try again.',
] as const satisfies ErrorEntry;

/** Errors of file changes that create a commit on a branch (contract/repository.md §1 and §4). */
export const COMMIT_ERRORS = {
  notAllowed: PUSH_FORBIDDEN,
  readOnly: REPOSITORY_READ_ONLY,
  startShaInvalid: [400, "Invalid start_sha '{sha}'"],
  startShaUnknown: [400, "Cannot find start_sha '{sha}'"],
  notOnBranch: [400, 'You can only create or edit files when you are on a branch'],
  branchExists: [400, "A branch called '{branch}' already exists. Switch to that branch in order to make changes"],
  branchInvalid: [400, "Something went wrong when we tried to create '{branch}' for you: Branch name is invalid"],
  looksLikeSha: [400, 'You cannot create a branch with a SHA-1 or SHA-256 branch name.'],
  forceNotAllowed: [400, 'You are not allowed to force push code to a protected branch on this project.'],
  stale: [400, 'You are attempting to update a file that has changed since you started editing it.'],
  lfsMissing: [400, 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'],
  fileExists: [400, 'A file with this name already exists'],
  fileMissing: [400, "A file with this name doesn't exist"],
  isDirectory: [400, 'A directory with this name already exists'],
  pathInvalid: [400, "invalid path: '{path}'"],
  tooManyDirectories: [400, 'The commit changes too many directories (maximum is 100000)'],
  empty: [400, 'The commit is empty: the file already has this content'],
  moved: BRANCH_MOVED,
} as const satisfies Record<string, ErrorEntry>;

/** Error code -> status, message (or a whole body) and headers. `{name}` is replaced by the value of the failure. */
export type ErrorTable = Readonly<Record<string, ErrorEntry>>;
export type ErrorEntry =
  | readonly [status: number, text: string]
  | readonly [status: number, body: Readonly<Record<string, unknown>>]
  | readonly [
      status: number,
      body: string | Readonly<Record<string, unknown>>,
      headers: Readonly<Record<string, string>>,
    ];

/** Fills the placeholders of a template. A template that is a single placeholder returns the value itself, for example an object. */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>): unknown {
  const soleName = /^\{(\w+)\}$/.exec(template)?.[1];
  if (soleName !== undefined && soleName in values) return values[soleName];
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    name in values ? String(values[name]) : placeholder,
  );
}
