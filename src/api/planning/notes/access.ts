import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayAt } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { type InThing, isShutOut, type Noteable, type NoteableKind } from '#http/access/noteables.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findNote, type NoteRow } from './store.ts';

/** Whose notes become more or fewer, or are resolved, one after another: they are counted. */
export function turnOfNotes({ thing }: { readonly thing: Noteable }): string {
  return thing.type === 'Commit' ? `notes on ${thing.commit.id}` : `notes on ${thing.type} ${thing.id}`;
}

/** Whoever reads the thing comments on it; where the discussion is locked, members only. */
export function commentingOn<Of extends Noteable>(kind: NoteableKind<Of>): Access<InThing<Of>> {
  return kind.reading().require(({ caller }, { thing }) => {
    if (!mayComment(caller, thing)) throw forbidden();
  }, `${kind.place}:create_note`);
}

export function mayComment(caller: Caller, thing: Noteable): boolean {
  return mayAt(caller, 'create_note', thing) && !isShutOut(caller, thing);
}

/** The note of `:note_id`, for who may read it. */
export function readingNote(kind: NoteableKind) {
  return kind.reading().resource(note);
}

/** The same in the thread of `:discussion_id`. */
export function readingNoteInThread(kind: NoteableKind) {
  return kind.reading().resource(noteInThread);
}

/** Its author, and Maintainers; nobody changes what Hearth has said. */
export function changingNote(kind: NoteableKind) {
  return readingNote(kind).require(requireChange, changers(kind));
}

export function changingNoteInThread(kind: NoteableKind) {
  return readingNoteInThread(kind).require(requireChange, changers(kind));
}

const changers = ({ place }: Pick<NoteableKind, 'place'>) => `${place}:change_note, own notes: create_note`;

function requireChange(
  { caller }: Pick<AccessCall, 'caller'>,
  { thing, note: found }: { readonly thing: Noteable; readonly note: NoteRow },
): void {
  if (!mayChange(caller, thing, found)) throw forbidden();
}

/** May he, who reads it, say it in other words or take it back? */
export function mayChange(caller: Caller, thing: Noteable, { system, author_id }: NoteRow): boolean {
  if (system || !mayComment(caller, thing)) return false;
  return author_id === caller.user?.id || mayAt(caller, 'change_note', thing);
}

const note = {
  name: 'note',
  params: { note_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly note_id: number }>, { thing, caller }: InThing<Noteable>) =>
    findNote(db, caller, thing, params.note_id),
  notFound: nestedNotFound,
} as const;

const noteInThread = {
  ...note,
  params: { discussion_id: required(string), note_id: required(integer) },
  async find(
    call: AccessCall<{ readonly discussion_id: string; readonly note_id: number }>,
    found: InThing<Noteable>,
  ): Promise<NoteRow | null> {
    const one = await note.load(call, found);
    return one?.discussion_id === call.params.discussion_id ? one : null;
  },
} as const;

/** The thing as it stands in the act, for its caller to comment on. Throws `AccessRevoked` when he may no more. */
export async function stillCommenting(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
): Promise<InThing<Noteable>> {
  const standing = await kind.again(uow, uow.actor, asked);
  if (!mayComment(standing.caller, standing.thing)) throw new AccessRevoked();
  return standing;
}

/** The note as it stands in the act, for its caller to change. Throws `AccessRevoked` when he may no more. */
export async function stillChanging(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  { id }: NoteRow,
): Promise<{ readonly thing: Noteable; readonly now: NoteRow } | Failure<'gone'>> {
  const { thing, caller } = await kind.again(uow, uow.actor, asked);
  const now = await findNote(uow, caller, thing, id);
  if (now === null) return fail('gone');
  if (!mayChange(caller, thing, now)) throw new AccessRevoked();
  return { thing, now };
}
