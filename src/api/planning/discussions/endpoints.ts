import type { RecordedEventName } from '#activity/index.ts';
import { isSignedIn } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import { forNoteables, type Noteable, type NoteableContext, type NoteableKind } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { describe, exactlyOne, optional, required } from '#http/parameters/declarations.ts';
import { longText, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ISSUABLE_KINDS } from '../noteables/index.ts';
import {
  commitNoteableKind,
  createNoteAccess,
  createNoteOrQuickActionsEntity,
  deleteNote,
  findThread,
  isResolvable,
  listThreads,
  mayResolve,
  mayUpdateNote,
  NOTE_ERRORS,
  Note,
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
import { Discussion, THREAD_NOTE_PARAMS } from './create-endpoints.ts';

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
const replyAccess = (kind: NoteableKind) => createNoteAccess(kind).resource(discussionResource);

/**
 * Access to resolve a thread with at least one resolvable note: for callers with at least the Developer role, its author and the
 * author of the noteable.
 */
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
      description:
        'Lists threads with all their notes, ordered by their first notes, oldest first. A plain comment or system note is listed as a thread of its own. Notes that the caller may not read are left out. Pages and totals count threads.',
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
      description: 'Returns a thread with all its notes, oldest first. Answers 404 if the caller may not read them.',
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
      description:
        'Adds a note to a thread. On issues, merge requests and epics, a plain comment becomes a thread by its first reply. System notes, and plain comments on commits, cannot be replied to. A reply to a resolved thread counts as resolved. If the text contains only quick actions, no note is created and the response is 202 with their effects.',
      access: replyAccess(kind),
      params: THREAD_NOTE_PARAMS,
      errors: {
        internalNotAllowed: FORBIDDEN,
        ...NOTE_ERRORS,
        ...QUICK_ACTION_ERRORS,
        threadNotFound: [404, '404 Discussion Not Found'],
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
      description: 'Lists all notes of a thread, oldest first; the list is not paginated.',
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
      description: 'Returns one note of a thread. Answers 404 if the note belongs to another thread.',
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
      description: `Updates the text of a note, or resolves or reopens this note alone; exactly one of \`body\` and \`resolved\` is required. The author and callers with at least the Maintainer role may update the text. The thread's author, the author of what it is on, and callers with at least the Developer role may resolve it. A text that contains only quick actions deletes the note; the response is then 202 with their effects.`,
      access: updateOrResolveNoteAccess(kind),
      params: {
        body: optional(longText),
        resolved: describe(optional(boolean), 'True resolves the note, false reopens it.'),
      },
      rules: [exactlyOne('body', 'resolved')],
      errors: {
        ...QUICK_ACTION_ERRORS,
        forbidden: FORBIDDEN,
        notFound: NOT_FOUND,
        threadNotFound: NOT_FOUND,
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
      description:
        'Deletes one note; the thread ends with its last note. Its author and callers with at least the Maintainer role may delete it; system notes cannot be deleted.',
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
      description:
        'Resolves or reopens all resolvable notes of the thread; notes that are already in this state keep who resolved them and when. When the last open thread of a merge request is resolved, a system note is written and auto-merge is checked again. Answers 403 if the thread has no resolvable note.',
      access: resolveDiscussionAccess(kind),
      params: { resolved: describe(required(boolean), 'True resolves the thread, false reopens it.') },
      lock: (call) => notesLockKey(call),
      errors: { threadNotFound: [404, '404 Discussion Not Found'] },
      activity: kind.type === 'MergeRequest' ? ['note discussion'] : [],
      response: ok(Discussion),
      write: (uow, { noteable, discussion, params: { resolved } }) =>
        resolveThread(uow, kind, noteable, discussion, { resolved }),
    }),
);

export * from './create-endpoints.ts';
