import { isSignedIn } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { InThing, Noteable, NoteableKind } from '#http/access/noteables.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import {
  commentingOn,
  findThread,
  isResolvable,
  mayChange,
  mayResolve,
  readingNoteInThread,
  type Thread,
} from '../notes/index.ts';

/** The thread of `:discussion_id` on the thing, so much of it as the caller may read. */
const discussion = {
  name: 'discussion',
  params: { discussion_id: required(string) },
  load: (
    { db, params }: AccessCall<{ readonly discussion_id: string }>,
    { thing, caller }: InThing<Noteable>,
  ): Promise<Thread | null> => findThread(db, caller, thing, params.discussion_id),
  notFound: () => notFound('Discussion'),
} as const;

/** The same, which must be one of this thing. */
export const readingDiscussion = (kind: NoteableKind) => kind.reading().resource(discussion);

/** For who wants its notes. */
export const readingNotes = (kind: NoteableKind) =>
  kind.reading().resource({ ...discussion, notFound: () => notFound('Notes') });

/** For who says something in it. */
export const answeringIn = (kind: NoteableKind) => commentingOn(kind).resource(discussion);

/** Developers, who has begun it, and the author of the thing: where there is something to resolve. */
export const resolvingDiscussion = (kind: NoteableKind) =>
  readingDiscussion(kind).require(({ caller }, { thing, discussion: thread }) => {
    if (!isSignedIn(caller) || !mayResolve(caller, thing, thread) || !thread.notes.some(isResolvable))
      throw forbidden();
  }, `${kind.place}:resolve_note, own threads and things: create_note`);

/** One of its notes, for who changes what it says or resolves it: which of the two he asks for, the body says. */
export const changingOrResolving = (kind: NoteableKind) =>
  readingNoteInThread(kind).deferred({
    name: 'may',
    label: `${kind.place}:change_note or resolve_note`,
    question:
      ({ db }, { thing, caller, note }) =>
      async (wish: 'change' | 'resolve'): Promise<boolean> => {
        if (wish === 'change') return mayChange(caller, thing, note);
        const thread = await findThread(db, caller, thing, note.discussion_id);
        return thread !== null && mayResolve(caller, thing, thread);
      },
  });
