import type { RecordedEventName } from '#activity/index.ts';
import { isSignedIn } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import { forNoteables, type Noteable, type NoteableContext, type NoteableKind } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { exactlyOne, optional, required } from '#http/parameters/declarations.ts';
import { longText, string } from '#http/parameters/texts.ts';
import { boolean, dateTime } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ISSUABLE_KINDS } from '../noteables/index.ts';
import {
  commitNoteableKind,
  createNoteOrQuickActionsEntity,
  deleteNote,
  findThread,
  isResolvable,
  listThreads,
  mayResolve,
  mayUpdateNote,
  NOTE_ERRORS,
  Note,
  noteCreationAccess,
  notesLockKey,
  QUICK_ACTION_ERRORS,
  readThreadNoteAccess,
  replyToThread,
  resolveNote,
  resolveThread,
  type Thread,
  updateNote,
  updateThreadNoteAccess,
  writeNoteWithQuickActions,
} from '../notes/index.ts';
import { Discussion } from './create-endpoints.ts';

/** Resource: the thread `:discussion_id` of the noteable, with the notes that the caller may read. */
const discussionResource = {
  name: 'discussion',
  params: { discussion_id: required(string) },
  load: (
    { db, params }: AccessCall<{ readonly discussion_id: string }>,
    { noteable, caller }: NoteableContext<Noteable>,
  ): Promise<Thread | null> => findThread(db, caller, noteable, params.discussion_id),
  notFound: () => notFound('Discussion'),
} as const;

/** Access to a thread for readers of the noteable. */
const readDiscussionAccess = (kind: NoteableKind) => kind.readAccess().resource(discussionResource);

/** Access to the notes of a thread for readers of the noteable; 404 `Notes` if there is no such thread. */
const readDiscussionNotesAccess = (kind: NoteableKind) =>
  kind.readAccess().resource({ ...discussionResource, notFound: () => notFound('Notes') });

/** Access to reply to a thread, for callers who may comment. */
const replyAccess = (kind: NoteableKind) => noteCreationAccess(kind).resource(discussionResource);

/** Access to resolve a resolvable thread: for callers with at least the Developer role, its author and the author of the noteable. */
const resolveDiscussionAccess = (kind: NoteableKind) =>
  readDiscussionAccess(kind)
    .require(({ caller }, { noteable, discussion: thread }) => {
      if (!isSignedIn(caller) || !mayResolve(caller, noteable, thread) || !thread.notes.some(isResolvable))
        throw forbidden();
    })
    .withLabel(`${kind.parentType}:resolve_note, own threads and noteables: create_note`);

/** Access to a note of a thread. The check is deferred: the request body decides between update and resolve. */
const updateOrResolveNoteAccess = (kind: NoteableKind) =>
  readThreadNoteAccess(kind).deferred({
    name: 'isAllowed',
    label: `${kind.parentType}:change_note or resolve_note`,
    createCheck:
      ({ db }, { noteable, caller, note }) =>
      async (operation: 'update' | 'resolve'): Promise<boolean> => {
        if (operation === 'update') return mayUpdateNote(caller, noteable, note);
        const thread = await findThread(db, caller, noteable, note.discussion_id);
        return thread !== null && mayResolve(caller, noteable, thread);
      },
  });

// Threads on issues, merge requests, epics and commits (contract/planning.md §3.12). A thread is the set of notes with the same
// `discussion_id`; it has no row of its own. All writes use the functions of `notes/`.

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
      handle: ({ caller, noteable, discussion, base, params: { body, created_at } }, services) =>
        writeNoteWithQuickActions(services, { kind, noteable, caller }, body, {
          baseUrl: base.url,
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
      async handle({ caller, noteable, note, isAllowed, base, params: { body, resolved } }, services) {
        if (!(await isAllowed(resolved == null ? 'update' : 'resolve'))) return fail('forbidden');
        if (resolved == null) {
          if ((body ?? '').trim() === '') return fail('blank');
          return writeNoteWithQuickActions(services, { kind, noteable, caller }, body as string, {
            baseUrl: base.url,
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

export * from './create-endpoints.ts';
