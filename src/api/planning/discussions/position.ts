import { type Diff, type FileDiff, getDiff, getFullDiff } from '#git/diff/diff.ts';
import { locateLine } from '#git/diff/diff-lines.ts';
import type { Git } from '#git/git.ts';
import { readCommit, readObject } from '#git/objects/object-reader.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import type { ErrorTable } from '#http/errors/error-messages.ts';
import { describe, object, optional, required } from '#http/parameters/declarations.ts';
import { pathText, string } from '#http/parameters/texts.ts';
import { integer, number, oneOf } from '#http/parameters/types.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { Position } from '../notes/index.ts';

// Positions of threads in diffs: parameters and validation (contract/planning.md §3.12).

/** One end of a range of lines. */
const lineEnd = object({
  line_code: optional(string),
  type: optional(string),
  old_line: optional(integer),
  new_line: optional(integer),
});

export const positionParam = object({
  base_sha: required(string),
  start_sha: required(string),
  head_sha: required(string),
  position_type: required(oneOf('text', 'image', 'file')),
  new_path: describe(optional(pathText), 'Path after the change; one of the two paths is required.'),
  new_line: describe(optional(integer), 'Line after the change: set it for added lines, and both for unchanged ones.'),
  old_path: describe(optional(pathText), 'Path before the change.'),
  old_line: describe(
    optional(integer),
    'Line before the change: set it for removed lines, and both for unchanged ones.',
  ),
  width: describe(optional(integer), 'Width of the image; required for images.'),
  height: describe(optional(integer), 'Height of the image; required for images.'),
  x: describe(optional(number), 'Horizontal position in the image; required for images.'),
  y: describe(optional(number), 'Vertical position in the image; required for images.'),
  line_range: describe(
    optional(object({ start: optional(lineEnd), end: optional(lineEnd) })),
    'First and last line of a comment on several lines. Stored as it is sent.',
  ),
});

export type PositionParams = NonNullable<ReturnType<typeof positionParam.read>>;

export const POSITION_ERRORS = {
  incompletePosition: [400, '400 Bad request - Note {:position=>["is incomplete"]}'],
  invalidPosition: [400, `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`],
} as const satisfies ErrorTable;

/** Converts the parameters to a position with exactly the fields of its type; absent ones are null. */
function toPosition(params: PositionParams): Position {
  const { base_sha, start_sha, head_sha, position_type } = params;
  const { old_path = null, new_path = null } = params;
  const sharedFields = { base_sha, start_sha, head_sha, old_path, new_path, position_type };
  if (position_type === 'file') return sharedFields;
  const { width = null, height = null, x = null, y = null } = params;
  if (position_type === 'image') return { ...sharedFields, width, height, x, y };
  const { old_line = null, new_line = null, line_range } = params;
  return { ...sharedFields, old_line, new_line, line_range: line_range ? toLineRange(line_range) : null };
}

type LineRangeParams = NonNullable<PositionParams['line_range']>;

const toLineRange = ({ start, end }: LineRangeParams) => ({ start: toLineEnd(start), end: toLineEnd(end) });

function toLineEnd(params: LineRangeParams['start']) {
  const { line_code = null, type = null, old_line = null, new_line = null } = params ?? {};
  return { line_code, type, old_line, new_line };
}

/** Returns the position as JSON if it exists in the diff between the two commits, else a failure. */
export async function validatePosition(
  git: Git,
  project: LocatedRepository,
  params: PositionParams,
): Promise<string | Failure<'incompletePosition' | 'invalidPosition'>> {
  const position = toPosition(params);
  if (!isComplete(position)) return fail('incompletePosition');
  return (await existsInDiff(git, getRepository(git, project), position))
    ? JSON.stringify(position)
    : fail('invalidPosition');
}

/** Returns whether the position has the commits, a path and the fields that its type requires. */
function isComplete(position: Position): boolean {
  const { base_sha, start_sha, head_sha, old_path, new_path, position_type } = position;
  if ([base_sha, start_sha, head_sha].includes('') || !(old_path || new_path)) return false;
  const { old_line, new_line, width, height, x, y } = position;
  if (position_type === 'text') return old_line != null || new_line != null;
  return position_type === 'file' || [width, height, x, y].every((value) => value != null);
}

/** Returns whether the diff contains the file and, for a text position, the line. */
async function existsInDiff(git: Git, repository: Repository, position: Position): Promise<boolean> {
  const { base_sha, head_sha, position_type, old_line, new_line } = position;
  const hasNoBase = base_sha === ZERO_ID;
  if (!hasNoBase && !(await commitExists(git, repository, base_sha))) return false;
  if (!(await commitExists(git, repository, head_sha))) return false;
  const file = await findFile(git, repository, hasNoBase ? null : base_sha, position);
  if (file === undefined) return false;
  if (position_type !== 'text') return true;
  if (file.binary || isTruncated(file)) return false;
  const newLine = new_line ?? null;
  const location = locateLine(file.text, { oldLine: old_line ?? null, newLine });
  // `after`: the line follows the last hunk, so only the file shows whether the line exists.
  if (location !== 'after' || newLine === null) return location !== null;
  return hasLine(git, repository, { commit: head_sha, path: file.newPath, line: newLine });
}

/** Returns whether the size limits of diffs left out the file's lines. */
const isTruncated = ({ tooLarge, collapsed }: FileDiff) => tooLarge || collapsed;

/** Returns the file in the diff. Repeats the diff with higher limits if the usual limits left out the file or its lines. */
async function findFile(
  git: Git,
  repository: Repository,
  base: string | null,
  { head_sha, old_path, new_path }: Position,
): Promise<FileDiff | undefined> {
  const find = ({ files }: Diff) =>
    files.find(({ oldPath, newPath }) => (!old_path || old_path === oldPath) && (!new_path || new_path === newPath));
  const diff = await getDiff(git, repository, base, head_sha);
  const file = find(diff);
  const needsFullDiff = file === undefined ? diff.overflow : isTruncated(file);
  return needsFullDiff ? find(await getFullDiff(git, repository, base, head_sha)) : file;
}

interface FileLine {
  readonly commit: string;
  readonly path: string;
  readonly line: number;
}

/** Returns whether the file is at least `line` lines long. */
async function hasLine(git: Git, repository: Repository, { commit, path, line }: FileLine): Promise<boolean> {
  const entry = await findEntryAtPath(git, repository, commit, path);
  if (entry?.type !== 'blob') return false;
  const content = (await readObject(git, repository, entry.id))?.content ?? Buffer.alloc(0);
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = content.indexOf(NEWLINE, start);
    if (end < 0) return false;
    start = end + 1;
  }
  return start < content.length;
}

const NEWLINE = 0x0a;

async function commitExists(git: Git, repository: Repository, sha: string): Promise<boolean> {
  return /^[0-9a-f]{40}$/.test(sha) && (await readCommit(git, repository, sha)) !== null;
}
