import { diffBetween } from '#git/diff/diff.ts';
import { diffLines } from '#git/diff/diff-lines.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import type { ErrorTable } from '#http/errors/error-table.ts';
import { hash, optional, required } from '#http/parameters/declarations.ts';
import { pathText, string } from '#http/parameters/texts.ts';
import { integer, number, oneOf } from '#http/parameters/types.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { Position } from '../notes/index.ts';

/** Where a thread stands in a diff: what is said of that, and whether there is such a place (contract/planning.md §3.12). */

const lineEnd = hash({
  line_code: optional(string),
  type: optional(string),
  old_line: optional(integer),
  new_line: optional(integer),
});

export const positionParam = hash({
  base_sha: required(string),
  start_sha: required(string),
  head_sha: required(string),
  position_type: required(oneOf('text', 'image', 'file')),
  new_path: optional(pathText),
  new_line: optional(integer),
  old_path: optional(pathText),
  old_line: optional(integer),
  width: optional(integer),
  height: optional(integer),
  x: optional(number),
  y: optional(number),
  line_range: optional(hash({ start: optional(lineEnd), end: optional(lineEnd) })),
});

export type SaidPosition = NonNullable<ReturnType<typeof positionParam.read>>;
type Said = SaidPosition;

export const POSITION_REFUSALS = {
  incomplete: [400, '400 Bad request - Note {:position=>["is incomplete"]}'],
  nowhere: [400, `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`],
} as const satisfies ErrorTable;

/** As the API shows it, with what belongs to its kind. */
export function positionOf(said: Said): Position {
  const { base_sha, start_sha, head_sha, position_type } = said;
  const { old_path = null, new_path = null } = said;
  const place = { base_sha, start_sha, head_sha, old_path, new_path, position_type };
  if (position_type === 'file') return place;
  const { width = null, height = null, x = null, y = null } = said;
  if (position_type === 'image') return { ...place, width, height, x, y };
  const { old_line = null, new_line = null, line_range } = said;
  return { ...place, old_line, new_line, line_range: line_range ? rangeOf(line_range) : null };
}

type Range = NonNullable<Said['line_range']>;

const rangeOf = ({ start, end }: Range) => ({ start: endOf(start), end: endOf(end) });

function endOf(said: Range['start']) {
  const { line_code = null, type = null, old_line = null, new_line = null } = said ?? {};
  return { line_code, type, old_line, new_line };
}

/** The position in JSON, when there is such a place between the two commits. */
export async function placed(
  git: Git,
  project: Placed,
  said: Said,
): Promise<string | Failure<'incomplete' | 'nowhere'>> {
  const position = positionOf(said);
  if (!isComplete(position)) return fail('incomplete');
  return (await isThere(git, repositoryOf(git, project), position)) ? JSON.stringify(position) : fail('nowhere');
}

function isComplete(position: Position): boolean {
  const { base_sha, start_sha, head_sha, old_path, new_path, position_type } = position;
  if ([base_sha, start_sha, head_sha].includes('') || !(old_path || new_path)) return false;
  const { old_line, new_line, width, height, x, y } = position;
  if (position_type === 'text') return old_line != null || new_line != null;
  return position_type === 'file' || [width, height, x, y].every((value) => value != null);
}

async function isThere(git: Git, repository: Repository, position: Position): Promise<boolean> {
  const { base_sha, head_sha, old_path, new_path, position_type, old_line, new_line } = position;
  const fromNothing = base_sha === zeroId;
  if (!fromNothing && !(await isCommit(git, repository, base_sha))) return false;
  if (!(await isCommit(git, repository, head_sha))) return false;
  const { files } = await diffBetween(git, repository, fromNothing ? null : base_sha, head_sha);
  const file = files.find(
    ({ oldPath, newPath }) => (!old_path || old_path === oldPath) && (!new_path || new_path === newPath),
  );
  if (file === undefined || position_type !== 'text') return file !== undefined;
  for (const line of diffLines(file.text)) {
    if (line.oldLine === (old_line ?? null) && line.newLine === (new_line ?? null)) return true;
  }
  return false;
}

async function isCommit(git: Git, repository: Repository, sha: string): Promise<boolean> {
  return /^[0-9a-f]{40}$/.test(sha) && (await readCommit(git, repository, sha)) !== null;
}
