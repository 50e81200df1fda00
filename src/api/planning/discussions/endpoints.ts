import type { RecordedEventName } from '#activity/index.ts';
import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { exactlyOne, optional, required } from '#http/parameters/declarations.ts';
import { longText } from '#http/parameters/texts.ts';
import { boolean, dateTime } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ISSUABLE_KINDS } from '../noteables/index.ts';
import {
  commitNoteableKind,
  createNoteOrQuickActionsEntity,
  deleteNote,
  isResolvable,
  listThreads,
  NOTE_ERRORS,
  Note,
  notesLockKey,
  QUICK_ACTION_ERRORS,
  readThreadNoteAccess,
  replyToThread,
  resolveNote,
  resolveThread,
  updateNote,
  updateThreadNoteAccess,
  writeNoteWithQuickActions,
} from '../notes/index.ts';
import {
  readDiscussionAccess,
  readDiscussionNotesAccess,
  replyAccess,
  resolveDiscussionAccess,
  updateOrResolveNoteAccess,
} from './access.ts';
import { Discussion } from './entities.ts';

// Threads on issues, merge requests, epics and commits (contract/planning.md §3.12).

const NOTEABLES = [...ISSUABLE_KINDS, commitNoteableKind] as const;

export const [listIssueDiscussions, listMergeRequestDiscussions, listEpicDiscussions, listCommitDiscussions] =
  forNoteables(NOTEABLES, (kind) =>
    endpoint({
      get: `${kind.path}/discussions`,
      summary: `List threads and comments on ${kind.nounWithArticle}`,
      access: kind.readAccess(),
      response: page(Discussion),
      read: (db, { noteable, caller, page }) => listThreads(db, caller, noteable, page),
    }),
  );

export const [getIssueDiscussion, getMergeRequestDiscussion, getEpicDiscussion, getCommitDiscussion] = forNoteables(
  NOTEABLES,
  (kind) =>
    endpoint({
      get: `${kind.path}/discussions/:discussion_id`,
      summary: `Get a thread on ${kind.nounWithArticle}`,
      access: readDiscussionAccess(kind),
      response: ok(Discussion),
      read: (_db, { discussion }) => discussion,
    }),
);

/**
 * Events recorded by replies and updates. Epics belong to no project, so they record no activity events. Comments on
 * commits create no cross-references.
 */
const RECORDED_EVENTS: Readonly<
  Record<(typeof NOTEABLES)[number]['type'], Record<'reply' | 'update', readonly RecordedEventName[]>>
> = {
  Issue: { reply: ['commented DiscussionNote', 'note mention'], update: ['note mention'] },
  MergeRequest: {
    reply: ['commented DiscussionNote', 'commented DiffNote', 'note mention'],
    update: ['note mention', 'note discussion'],
  },
  Epic: { reply: ['note mention'], update: ['note mention'] },
  Commit: { reply: ['commented DiscussionNote', 'commented DiffNote'], update: [] },
};

export const [createIssueThreadNote, createMergeRequestThreadNote, createEpicThreadNote, createCommitThreadNote] =
  forNoteables(NOTEABLES, (kind) =>
    endpoint({
      post: `${kind.path}/discussions/:discussion_id/notes`,
      summary: `Reply to a thread on ${kind.nounWithArticle}`,
      access: replyAccess(kind),
      params: { body: required(longText), created_at: optional(dateTime) },
      errors: {
        internalNotAllowed: FORBIDDEN,
        ...NOTE_ERRORS,
        ...QUICK_ACTION_ERRORS,
        threadGone: [404, '404 Discussion Not Found'],
        notAnswerable: [400, '400 Bad request - Discussion can not be replied to.'],
      },
      activity: RECORDED_EVENTS[kind.type].reply,
      response: { ...created(createNoteOrQuickActionsEntity(Note)), otherStatuses: [202] },
      handle: ({ caller, noteable, discussion, params: { body, created_at } }, services) =>
        writeNoteWithQuickActions(services, { kind, noteable, caller }, body, {
          write: (uow, text) =>
            replyToThread(uow, kind, noteable, discussion, { ...text, createdAt: created_at ?? null }),
        }),
    }),
  );

export const [listIssueThreadNotes, listMergeRequestThreadNotes, listEpicThreadNotes, listCommitThreadNotes] =
  forNoteables(NOTEABLES, (kind) =>
    endpoint({
      get: `${kind.path}/discussions/:discussion_id/notes`,
      summary: `List notes of a thread on ${kind.nounWithArticle}`,
      access: readDiscussionNotesAccess(kind),
      response: list(Note),
      read: (_db, { discussion }) => discussion.notes,
    }),
  );

export const [getIssueThreadNote, getMergeRequestThreadNote, getEpicThreadNote, getCommitThreadNote] = forNoteables(
  NOTEABLES,
  (kind) =>
    endpoint({
      get: `${kind.path}/discussions/:discussion_id/notes/:note_id`,
      summary: `Get a thread note on ${kind.nounWithArticle}`,
      access: readThreadNoteAccess(kind),
      response: ok(Note),
      read: (_db, { note }) => note,
    }),
);

export const [updateIssueThreadNote, updateMergeRequestThreadNote, updateEpicThreadNote, updateCommitThreadNote] =
  forNoteables(NOTEABLES, (kind) =>
    endpoint({
      put: `${kind.path}/discussions/:discussion_id/notes/:note_id`,
      summary: `Update or resolve a note on ${kind.nounWithArticle}`,
      access: updateOrResolveNoteAccess(kind),
      params: { body: optional(longText), resolved: optional(boolean) },
      rules: [exactlyOne('body', 'resolved')],
      errors: {
        ...QUICK_ACTION_ERRORS,
        forbidden: FORBIDDEN,
        notFound: NOT_FOUND,
        threadGone: NOT_FOUND,
        blank: NOTE_ERRORS.blank,
        notResolvable: [400, '400 Bad request - Note is not resolvable'],
      },
      activity: RECORDED_EVENTS[kind.type].update,
      response: { ...ok(createNoteOrQuickActionsEntity(Note)), otherStatuses: [202] },
      async handle({ caller, noteable, note, isAllowed, params: { body, resolved } }, services) {
        if (!(await isAllowed(resolved == null ? 'update' : 'resolve'))) return fail('forbidden');
        if (resolved == null) {
          if ((body ?? '').trim() === '') return fail('blank');
          return writeNoteWithQuickActions(services, { kind, noteable, caller }, body as string, {
            write: (uow, text) => updateNote(uow, kind, noteable, note, text),
            onEmpty: (uow) => deleteNote(uow, kind, noteable, note),
          });
        }
        if (!isResolvable(note)) return fail('notResolvable');
        return services.runUnitOfWork(caller, (uow) => resolveNote(uow, kind, noteable, note, resolved), {
          lock: notesLockKey({ noteable }),
        });
      },
    }),
  );

export const [deleteIssueThreadNote, deleteMergeRequestThreadNote, deleteEpicThreadNote, deleteCommitThreadNote] =
  forNoteables(NOTEABLES, (kind) =>
    endpoint({
      delete: `${kind.path}/discussions/:discussion_id/notes/:note_id`,
      summary: `Delete a thread note on ${kind.nounWithArticle}`,
      access: updateThreadNoteAccess(kind),
      lastModified: ({ note }) => note.updated_at,
      lock: (call) => notesLockKey(call),
      errors: { notFound: NOT_FOUND },
      response: noContent,
      write: (uow, { noteable, note }) => deleteNote(uow, kind, noteable, note),
    }),
  );

export const [resolveIssueDiscussion, resolveMergeRequestDiscussion, resolveEpicDiscussion] = forNoteables(
  ISSUABLE_KINDS,
  (kind) =>
    endpoint({
      put: `${kind.path}/discussions/:discussion_id`,
      summary: `Resolve or reopen a thread on ${kind.nounWithArticle}`,
      access: resolveDiscussionAccess(kind),
      params: { resolved: required(boolean) },
      lock: (call) => notesLockKey(call),
      errors: { threadGone: [404, '404 Discussion Not Found'] },
      activity: kind.type === 'MergeRequest' ? ['note discussion'] : [],
      response: ok(Discussion),
      write: (uow, { noteable, discussion, params: { resolved } }) =>
        resolveThread(uow, kind, noteable, discussion, { resolved }),
    }),
);
