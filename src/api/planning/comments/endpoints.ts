import { Type } from 'typebox';
import { commitResource } from '#api/code/commits/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { getDiff } from '#git/diff/diff.ts';
import { parseDiffLines } from '#git/diff/diff-lines.ts';
import type { Git } from '#git/git.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { CommitNoteable } from '#http/access/noteables.ts';
import { inProjectAllowingAnonymous, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, nullable, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { describe, isPresent, optional, type ParameterRule, required } from '#http/parameters/declarations.ts';
import { longText, pathText } from '#http/parameters/texts.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { getRepository } from '#repositories/repository.ts';
import { requireRow } from '#runtime/failure.ts';
import {
  commentedCommitResource,
  commitNoteableKind,
  createNote,
  createNoteAccess,
  listNotes,
  NOTE_ERRORS,
  type NoteListRow,
  notesLockKey,
  type Position,
  toCommitNoteable,
} from '../notes/index.ts';

const loadBodies = createTextLoader('notes', 'body');

/** A comment on a commit (contract/planning.md §3.16). */
const CommitNote = entity('CommitNote', {
  note: Type.String({ description: 'The text, in Markdown.' }),
  path: nullable(Type.String({ description: 'Null for a comment on the whole commit.' })),
  line: nullable(Type.Integer()),
  line_type: nullable(Type.Enum(['new', 'old'])),
  author: UserBasic.schema,
  created_at: dateTime,
}).from(
  async (notes: readonly NoteListRow[], { db }) => {
    const ids = notes.map(({ id }) => id);
    const authorIds = notes.map(({ author_id }) => author_id);
    const [usersById, bodiesById] = await Promise.all([loadUsersById(db, authorIds), loadBodies(db, ids)]);
    return { usersById, bodiesById };
  },
  ({ id, author_id, position, created_at }, context, { usersById, bodiesById }) => ({
    note: bodiesById.get(id) ?? '',
    ...toLineFields(position),
    author: UserBasic.serialize(requireRow(usersById.get(author_id)), context),
    created_at,
  }),
);

/** Returns the path and line of a position. An unchanged line has its number after the commit. */
function toLineFields(position: string | null) {
  if (position === null) return { path: null, line: null, line_type: null };
  const { old_path, new_path, old_line = null, new_line = null } = JSON.parse(position) as Position;
  if (new_line === null && old_line !== null)
    return { path: old_path ?? new_path, line: old_line, line_type: 'old' as const };
  return { path: new_path ?? old_path, line: new_line, line_type: new_line === null ? null : ('new' as const) };
}

// Comments on a commit (contract/planning.md §3.16).

export const listCommitComments = endpoint({
  get: `${commitNoteableKind.path}/comments`,
  summary: 'List the comments of a commit',
  description: 'Lists comments and replies in threads, oldest first. Notes that the caller may not read are left out.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled)
    .resource(commitResource)
    .resource(commentedCommitResource),
  response: page(CommitNote),
  read(db, { project, commit, commentedCommit: { id }, caller, page }) {
    const listOptions = { order_by: 'created_at', sort: 'asc', activity_filter: 'all_notes' } as const;
    return listNotes(db, caller, toCommitNoteable(project, commit, id), listOptions, page);
  },
});

/** Rule: `path` requires `line`. */
const requireLineWithPath: ParameterRule = ({ path, line }, problems) => {
  if (isPresent(path) && !isPresent(line)) problems.add('line is missing');
};

export const createCommitComment = endpoint({
  post: `${commitNoteableKind.path}/comments`,
  summary: 'Create a comment on a commit',
  description:
    'Creates a comment on a commit or, with `path` and `line`, on a line that its diff adds or removes. If the diff does not contain this line, the comment applies to the whole commit. Quick actions are not executed.',
  access: createNoteAccess(commitNoteableKind),
  params: {
    note: describe(required(longText), 'The text, in Markdown.'),
    path: describe(optional(pathText), 'Path of a file in the diff; requires `line`.'),
    line: describe(optional(integer), 'Line number in the file, on the side that `line_type` names.'),
    line_type: describe(optional(oneOf('new', 'old'), 'new'), '`new` is an added line, `old` a removed one.'),
  },
  rules: [requireLineWithPath],
  errors: { internalNotAllowed: FORBIDDEN, ...NOTE_ERRORS },
  activity: ['commented Note', 'commented DiffNote'],
  response: created(CommitNote),
  async handle({ caller, noteable, params }, { git, runUnitOfWork }) {
    const position = await findChangedLinePosition(git, noteable, params);
    const input = { body: params.note, internal: false, createdAt: null };
    const threadStart = position === null ? undefined : { position, commitSha: null };
    return runUnitOfWork(
      caller,
      (uow) => createNote(uow, commitNoteableKind, noteable, { ...input, ...(threadStart && { threadStart }) }),
      { lock: notesLockKey({ noteable }) },
    );
  },
});

interface LineInput {
  readonly path?: string | null | undefined;
  readonly line?: number | null | undefined;
  readonly line_type: 'new' | 'old';
}

/** Returns the position of this line in the commit's diff, as JSON, or null if the diff neither adds nor removes it. */
async function findChangedLinePosition(
  git: Git,
  { project, commit }: CommitNoteable,
  { path, line, line_type }: LineInput,
): Promise<string | null> {
  if (!path || line == null) return null;
  const parentId = commit.parentIds[0] ?? null;
  const { files } = await getDiff(git, getRepository(git, project), parentId, commit.id);
  const file = files.find(({ oldPath, newPath }) => (line_type === 'new' ? newPath : oldPath) === path);
  const requestedLine = line_type === 'new' ? { oldLine: null, newLine: line } : { oldLine: line, newLine: null };
  for (const { oldLine, newLine } of parseDiffLines(file?.text ?? '')) {
    if (oldLine !== requestedLine.oldLine || newLine !== requestedLine.newLine) continue;
    const baseSha = parentId ?? ZERO_ID;
    const shas = { base_sha: baseSha, start_sha: baseSha, head_sha: commit.id };
    const paths = { old_path: file!.oldPath, new_path: file!.newPath, position_type: 'text' as const };
    const position: Position = { ...shas, ...paths, old_line: oldLine, new_line: newLine, line_range: null };
    return JSON.stringify(position);
  }
  return null;
}
