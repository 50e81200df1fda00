import type { HistoryName } from '#activity/index.ts';
import { forThings, type NoteableKind } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { exactlyOne, optional, required } from '#http/parameters/declarations.ts';
import { description } from '#http/parameters/texts.ts';
import { boolean, dateTime } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { THINGS } from '../noteables/index.ts';
import {
  answerNote,
  COMMAND_REFUSALS,
  changingNoteInThread,
  commitThing,
  deleteNote,
  isResolvable,
  listThreads,
  NOTE_REFUSALS,
  Note,
  orCommanded,
  readingNoteInThread,
  resolveNote,
  resolveThread,
  sayAndDo,
  turnOfNotes,
  updateNote,
} from '../notes/index.ts';
import { answeringIn, changingOrResolving, readingDiscussion, readingNotes, resolvingDiscussion } from './access.ts';
import { Discussion } from './entities.ts';

// What people say in threads, on issues, merge requests, epics and commits (contract/planning.md §3.12).

const NOTEABLES = [...THINGS, commitThing] as const;

export const [listIssueDiscussions, listMergeRequestDiscussions, listEpicDiscussions, listCommitDiscussions] =
  forThings(NOTEABLES, (kind) =>
    endpoint({
      get: `${kind.path}/discussions`,
      summary: `List the threads and comments on ${kind.aThing}`,
      access: kind.reading(),
      response: page(Discussion),
      read: (db, { thing, caller, page }) => listThreads(db, caller, thing, page),
    }),
  );

export const [readIssueDiscussion, readMergeRequestDiscussion, readEpicDiscussion, readCommitDiscussion] = forThings(
  NOTEABLES,
  (kind) =>
    endpoint({
      get: `${kind.path}/discussions/:discussion_id`,
      summary: `One thread on ${kind.aThing}`,
      access: readingDiscussion(kind),
      response: ok(Discussion),
      read: (_db, { discussion }) => discussion,
    }),
);

/** Epics are in no project's feed, and commits are mentioned nowhere. */
const RECORDS: Readonly<Record<NoteableKind['type'], Record<'answer' | 'update', readonly HistoryName[]>>> = {
  Issue: { answer: ['commented DiscussionNote', 'note mention'], update: ['note mention'] },
  MergeRequest: {
    answer: ['commented DiscussionNote', 'commented DiffNote', 'note mention'],
    update: ['note mention', 'note discussion'],
  },
  Epic: { answer: ['note mention'], update: ['note mention'] },
  Commit: { answer: ['commented DiscussionNote', 'commented DiffNote'], update: [] },
};

export const [answerIssueDiscussion, answerMergeRequestDiscussion, answerEpicDiscussion, answerCommitDiscussion] =
  forThings(NOTEABLES, (kind) =>
    endpoint({
      post: `${kind.path}/discussions/:discussion_id/notes`,
      summary: `Answer in a thread on ${kind.aThing}`,
      access: answeringIn(kind),
      params: { body: required(description), created_at: optional(dateTime) },
      errors: {
        internal: FORBIDDEN,
        ...NOTE_REFUSALS,
        ...COMMAND_REFUSALS,
        threadGone: [404, '404 Discussion Not Found'],
        notAnswerable: [400, '400 Bad request - Discussion can not be replied to.'],
      },
      activity: RECORDS[kind.type].answer,
      response: created(orCommanded(Note)),
      handle: ({ caller, thing, discussion, params: { body, created_at } }, services) =>
        sayAndDo(services, { kind, thing, caller }, body, {
          say: (uow, said) => answerNote(uow, kind, thing, discussion, { ...said, createdAt: created_at ?? null }),
        }),
    }),
  );

export const [listIssueThreadNotes, listMergeRequestThreadNotes, listEpicThreadNotes, listCommitThreadNotes] =
  forThings(NOTEABLES, (kind) =>
    endpoint({
      get: `${kind.path}/discussions/:discussion_id/notes`,
      summary: `List what was said in a thread on ${kind.aThing}`,
      access: readingNotes(kind),
      response: list(Note),
      read: (_db, { discussion }) => discussion.notes,
    }),
  );

export const [readIssueThreadNote, readMergeRequestThreadNote, readEpicThreadNote, readCommitThreadNote] = forThings(
  NOTEABLES,
  (kind) =>
    endpoint({
      get: `${kind.path}/discussions/:discussion_id/notes/:note_id`,
      summary: `One note of a thread on ${kind.aThing}`,
      access: readingNoteInThread(kind),
      response: ok(Note),
      read: (_db, { note }) => note,
    }),
);

export const [updateIssueThreadNote, updateMergeRequestThreadNote, updateEpicThreadNote, updateCommitThreadNote] =
  forThings(NOTEABLES, (kind) =>
    endpoint({
      put: `${kind.path}/discussions/:discussion_id/notes/:note_id`,
      summary: `Say a note of a thread on ${kind.aThing} in other words, or resolve it`,
      access: changingOrResolving(kind),
      params: { body: optional(description), resolved: optional(boolean) },
      rules: [exactlyOne('body', 'resolved')],
      errors: {
        ...COMMAND_REFUSALS,
        forbidden: FORBIDDEN,
        gone: NOT_FOUND,
        threadGone: NOT_FOUND,
        blank: NOTE_REFUSALS.blank,
        notResolvable: [400, '400 Bad request - Note is not resolvable'],
      },
      activity: RECORDS[kind.type].update,
      response: ok(orCommanded(Note)),
      async handle({ caller, thing, note, may, params: { body, resolved } }, services) {
        if (!(await may(resolved == null ? 'change' : 'resolve'))) return fail('forbidden');
        if (resolved == null) {
          if ((body ?? '').trim() === '') return fail('blank');
          return sayAndDo(services, { kind, thing, caller }, body as string, {
            say: (uow, said) => updateNote(uow, kind, thing, note, said),
            unsay: (uow) => deleteNote(uow, kind, thing, note),
          });
        }
        if (!isResolvable(note)) return fail('notResolvable');
        return services.runUnitOfWork(caller, (uow) => resolveNote(uow, kind, thing, note, resolved), {
          turn: turnOfNotes({ thing }),
        });
      },
    }),
  );

export const [deleteIssueThreadNote, deleteMergeRequestThreadNote, deleteEpicThreadNote, deleteCommitThreadNote] =
  forThings(NOTEABLES, (kind) =>
    endpoint({
      delete: `${kind.path}/discussions/:discussion_id/notes/:note_id`,
      summary: `Take back a note of a thread on ${kind.aThing}`,
      access: changingNoteInThread(kind),
      lastModified: ({ note }) => note.updated_at,
      lock: (call) => turnOfNotes(call),
      errors: { gone: NOT_FOUND },
      response: noContent,
      write: (uow, { thing, note }) => deleteNote(uow, kind, thing, note),
    }),
  );

export const [resolveIssueDiscussion, resolveMergeRequestDiscussion, resolveEpicDiscussion] = forThings(
  THINGS,
  (kind) =>
    endpoint({
      put: `${kind.path}/discussions/:discussion_id`,
      summary: `Resolve a thread on ${kind.aThing}, or open it again`,
      access: resolvingDiscussion(kind),
      params: { resolved: required(boolean) },
      lock: (call) => turnOfNotes(call),
      errors: { threadGone: [404, '404 Discussion Not Found'] },
      activity: kind.type === 'MergeRequest' ? ['note discussion'] : [],
      response: ok(Discussion),
      write: (uow, { thing, discussion, params: { resolved } }) =>
        resolveThread(uow, kind, thing, discussion, { resolved }),
    }),
);
