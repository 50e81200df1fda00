import { MAX_SNIPPET_FILES, parseFilePaths, type Snippet } from '#domain/snippets.ts';
import type { FileChange } from '#git/commits/commit.ts';
import { hasLineBreak } from '#git/trees/reserved-names.ts';
import type { ErrorTable } from '#http/errors/error-messages.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { ApplicationSettings } from '#settings/settings.ts';

/** Errors of endpoints that write snippets (contract/everyday-more.md §7.1). */
export const WRITE_ERRORS = {
  rejected: [400, { message: { error: '{text}' } }],
  restricted: [
    403,
    { message: { error: 'Visibility level {visibility} has been restricted by your GitLab administrator' } },
  ],
  invalidActions: [422, { message: { error: 'Snippet actions have invalid data' } }],
} as const satisfies ErrorTable;

export type SnippetFailure = Failure<keyof typeof WRITE_ERRORS>;

/** A change of one file, as requested. */
export interface FileAction {
  readonly action: 'create' | 'update' | 'delete' | 'move';
  readonly file_path?: string | null | undefined;
  readonly previous_path?: string | null | undefined;
  readonly content?: string | null | undefined;
}

/** Files of an update: a list of changes, or the name and content of the only file. */
export interface FilesInput {
  readonly files?: readonly FileAction[] | null | undefined;
  readonly file_name?: string | null | undefined;
  readonly content?: string | null | undefined;
}

/** Returns the failure with this text. */
export const reject = (text: string): Failure<'rejected'> => fail('rejected', { text });

/** Returns the failure for a title or content that is too long, or null. */
export function validateTexts(
  { title, contents }: { readonly title?: string | null | undefined; readonly contents: readonly string[] },
  { snippet_size_limit: limit }: Pick<ApplicationSettings, 'snippet_size_limit'>,
): Failure<'rejected'> | null {
  if (title && [...title].length > 255) return reject('Title is too long (maximum is 255 characters)');
  const oversizedBytes = contents.map((content) => Buffer.byteLength(content)).find((bytes) => bytes > limit);
  if (oversizedBytes === undefined) return null;
  return reject(
    `Content is too long (${formatMebibytes(oversizedBytes)}). The maximum size is ${formatMebibytes(limit)}.`,
  );
}

/** Formats a size for error messages, in KiB below 1 MiB. */
function formatMebibytes(bytes: number): string {
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KiB'] : [bytes / (1024 * 1024), 'MiB'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** Returns the changes that create these files; files without a name get one. */
export function toCreations(files: readonly FileAction[]): FileChange[] | SnippetFailure {
  return toFileChanges([], files);
}

/** Returns the changes of an update, or an empty list if no file changes. */
export function toUpdates(snippet: Snippet, { files, file_name, content }: FilesInput): FileChange[] | SnippetFailure {
  const paths = parseFilePaths(snippet);
  if (files) return toFileChanges(paths, files);
  if (!file_name && content == null) return [];
  if (paths.length > 1) return reject('To update Snippets with multiple files, you must use the `files` parameter');
  const [path = ''] = paths;
  if (!file_name || file_name === path)
    return content == null ? [] : toFileChanges(paths, [{ action: 'update', file_path: path, content }]);
  return toFileChanges(paths, [{ action: 'move', file_path: file_name, previous_path: path, content }]);
}

/** Converts requested changes of a snippet with these files, and checks the number of files that remain. */
function toFileChanges(
  existingPaths: readonly string[],
  actions: readonly FileAction[],
): FileChange[] | SnippetFailure {
  const paths = new Set(existingPaths);
  const changes: FileChange[] = [];
  for (const action of actions) {
    const change = toFileChange(action, paths);
    if (change === null) return fail('invalidActions');
    changes.push(change);
    if (change.action === 'delete') paths.delete(change.path);
    else paths.add(change.path);
    if (change.action === 'move') paths.delete(change.from);
  }
  if (paths.size > MAX_SNIPPET_FILES) return reject(TOO_MANY_FILES);
  return paths.size === 0 ? reject(NO_FILES) : changes;
}

export const TOO_MANY_FILES = `The repository can contain at most ${MAX_SNIPPET_FILES} file(s).`;
export const NO_FILES = 'The repository must contain at least 1 file.';

/** Returns the change of one file, or null if the action lacks a path or content. */
function toFileChange(
  { action, file_path, previous_path, content }: FileAction,
  paths: ReadonlySet<string>,
): FileChange | null {
  const bytes = content == null ? undefined : Buffer.from(content);
  switch (action) {
    case 'create':
      return bytes === undefined ? null : { action, path: file_path || chooseFileName(paths), content: bytes };
    case 'update':
      if (!file_path || bytes === undefined || (previous_path && previous_path !== file_path)) return null;
      return { action, path: file_path, content: bytes };
    case 'delete':
      return file_path ? { action, path: file_path } : null;
    case 'move':
      if (!file_path || !previous_path || previous_path === file_path) return null;
      return { action, path: file_path, from: previous_path, ...(bytes && { content: bytes }) };
  }
}

/** Returns a free name for a file without one, as in GitLab: `snippetfile1.txt`, then `snippetfile2.txt`. */
function chooseFileName(paths: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = `snippetfile${number}.txt`;
    if (!paths.has(name)) return name;
  }
}

/** Returns the failure for a change that git rejects. */
export function toRepositoryError(verb: 'creating' | 'updating', code: string): Failure<'rejected'> {
  return reject(`Repository Error ${verb} the snippet - ${REJECTION_TEXTS[code] ?? 'The file path is invalid'}`);
}

/** Texts for the codes of changes that git rejects. */
const REJECTION_TEXTS: Readonly<Record<string, string>> = {
  exists: 'A file with this name already exists',
  missing: "A file with this name doesn't exist",
  'is-directory': 'A directory with this name already exists',
  'parent-is-file': 'A file with this name already exists',
};

/** Returns whether a path has a line break. Such paths are rejected, because headers contain them. */
export function hasPathWithLineBreak(changes: readonly FileChange[]): boolean {
  return changes.some(({ path }) => hasLineBreak(path));
}
