import { isSignedIn } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { Noteable, NoteableContext, NoteableKind } from '#http/access/noteables.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import {
  findThread,
  isResolvable,
  mayResolve,
  mayUpdateNote,
  noteCreationAccess,
  readThreadNoteAccess,
  type Thread,
} from '../notes/index.ts';

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
export const readDiscussionAccess = (kind: NoteableKind) => kind.readAccess().resource(discussionResource);

/** Access to the notes of a thread for readers of the noteable; 404 `Notes` if there is no such thread. */
export const readDiscussionNotesAccess = (kind: NoteableKind) =>
  kind.readAccess().resource({ ...discussionResource, notFound: () => notFound('Notes') });

/** Access to reply to a thread, for callers who may comment. */
export const replyAccess = (kind: NoteableKind) => noteCreationAccess(kind).resource(discussionResource);

/** Access to resolve a resolvable thread: for callers with at least the Developer role, its author and the author of the noteable. */
export const resolveDiscussionAccess = (kind: NoteableKind) =>
  readDiscussionAccess(kind)
    .require(({ caller }, { noteable, discussion: thread }) => {
      if (!isSignedIn(caller) || !mayResolve(caller, noteable, thread) || !thread.notes.some(isResolvable))
        throw forbidden();
    })
    .withLabel(`${kind.parentType}:resolve_note, own threads and noteables: create_note`);

/** Access to a note of a thread. The check is deferred: the request body decides between update and resolve. */
export const updateOrResolveNoteAccess = (kind: NoteableKind) =>
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
