import { commitResource } from '#api/code/commits/index.ts';
import { inProjectAllowingAnonymous, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { isPresent, optional, type ParameterRule, required } from '#http/parameters/declarations.ts';
import { longText, pathText } from '#http/parameters/texts.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import {
  commentedCommitResource,
  commitNoteableKind,
  createNote,
  listNotes,
  NOTE_ERRORS,
  noteCreationAccess,
  notesLockKey,
  toCommitNoteable,
} from '../notes/index.ts';
import { findChangedLinePosition } from './diff-line.ts';
import { CommitNote } from './entities.ts';

// Comments on a commit (contract/planning.md §3.16).

export const listCommitComments = endpoint({
  get: `${commitNoteableKind.path}/comments`,
  summary: 'List the comments of a commit',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled)
    .resource(commitResource)
    .resource(commentedCommitResource),
  response: page(CommitNote),
  read(db, { project, commit, commented: { id }, caller, page }) {
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
  access: noteCreationAccess(commitNoteableKind),
  params: {
    note: required(longText),
    path: optional(pathText),
    line: optional(integer),
    line_type: optional(oneOf('new', 'old'), 'new'),
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
      {
        lock: notesLockKey({ noteable }),
      },
    );
  },
});
