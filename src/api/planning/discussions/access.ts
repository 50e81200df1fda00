import { isSignedIn } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { Noteable, NoteableContext, NoteableKind } from '#http/access/noteables.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import {
  createNoteAccess,
  findThread,
  isResolvable,
  mayResolve,
  mayUpdateNote,
  readThreadNoteAccess,
  type Thread,
} from '../notes/index.ts';

/** Loads the thread `:discussion_id` of the noteable, with the notes that the caller may read. */
const discussionResource = {
  name: 'discussion',
  params: { discussion_id: required(string) },
  load: (
    { db, params }: AccessCall<{ readonly discussion_id: string }>,
    { noteable, caller }: NoteableContext<Noteable>,
  ): Promise<Thread | null> => findThread(db, caller, noteable, params.discussion_id),
  notFound: () => notFound('Discussion'),
} as const;

/** Admits readers of the noteable and loads the thread. */
export const readDiscussionAccess = (kind: NoteableKind) => kind.readAccess().resource(discussionResource);

/** Admits readers of the noteable and loads the thread; answers 404 `Notes` if it is missing. */
export const readDiscussionNotesAccess = (kind: NoteableKind) =>
  kind.readAccess().resource({ ...discussionResource, notFound: () => notFound('Notes') });

/** Admits callers who may comment, and loads the thread. */
export const replyAccess = (kind: NoteableKind) => createNoteAccess(kind).resource(discussionResource);

/** Admits Developers, the author of the thread and the author of the noteable, if the thread is resolvable. */
export const resolveDiscussionAccess = (kind: NoteableKind) =>
  readDiscussionAccess(kind).require(({ caller }, { noteable, discussion: thread }) => {
    if (!isSignedIn(caller) || !mayResolve(caller, noteable, thread) || !thread.notes.some(isResolvable))
      throw forbidden();
  }, `${kind.parentType}:resolve_note, own threads and things: create_note`);

/** Loads a note of a thread. The check is deferred, because the body decides between update and resolve. */
export const updateOrResolveNoteAccess = (kind: NoteableKind) =>
  readThreadNoteAccess(kind).deferred({
    name: 'may',
    label: `${kind.parentType}:change_note or resolve_note`,
    createCheck:
      ({ db }, { noteable, caller, note }) =>
      async (operation: 'change' | 'resolve'): Promise<boolean> => {
        if (operation === 'change') return mayUpdateNote(caller, noteable, note);
        const thread = await findThread(db, caller, noteable, note.discussion_id);
        return thread !== null && mayResolve(caller, noteable, thread);
      },
  });
