import { namedCommit } from '#api/code/commits/index.ts';
import { inPublicProject, orRepositoryGone } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { given, optional, type Rule, required } from '#http/parameters/declarations.ts';
import { description, pathText } from '#http/parameters/texts.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import {
  commented,
  commentingOn,
  commitAsThing,
  commitThing,
  createNote,
  listNotes,
  NOTE_REFUSALS,
  turnOfNotes,
} from '../notes/index.ts';
import { changedLine } from './diff-line.ts';
import { CommitNote } from './entities.ts';

// Comments on a commit (contract/planning.md §3.16).

export const listCommitComments = endpoint({
  get: `${commitThing.path}/comments`,
  summary: 'List what was said on a commit, the oldest first',
  access: inPublicProject('read_code', orRepositoryGone).resource(namedCommit).resource(commented),
  response: page(CommitNote),
  read(db, { project, commit, commented: { id }, caller, page }) {
    const all = { order_by: 'created_at', sort: 'asc', activity_filter: 'all_notes' } as const;
    return listNotes(db, caller, commitAsThing(project, commit, id), all, page);
  },
});

/** Whoever names a path says which line of it. */
const lineOfPath: Rule = ({ path, line }, problems) => {
  if (given(path) && !given(line)) problems.add('line is missing');
};

export const createCommitComment = endpoint({
  post: `${commitThing.path}/comments`,
  summary: 'Comment on a commit, or on a line that it has changed',
  access: commentingOn(commitThing),
  params: {
    note: required(description),
    path: optional(pathText),
    line: optional(integer),
    line_type: optional(oneOf('new', 'old'), 'new'),
  },
  rules: [lineOfPath],
  errors: { internal: FORBIDDEN, ...NOTE_REFUSALS },
  activity: ['commented Note', 'commented DiffNote'],
  response: created(CommitNote),
  async handle({ caller, thing, params }, { git, runUnitOfWork }) {
    const position = await changedLine(git, thing, params);
    const wish = { body: params.note, internal: false, createdAt: null };
    const place = position === null ? {} : { begins: { position, commitSha: null } };
    return runUnitOfWork(caller, (uow) => createNote(uow, commitThing, thing, { ...wish, ...place }), {
      turn: turnOfNotes({ thing }),
    });
  },
});
