import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import type { Noteable, NoteableContext, NoteableKind } from '#http/access/noteables.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findNote, mayComment, type NoteRow } from '../note-rows/index.ts';

/** Admits callers who may comment: those who may read the noteable or, if its discussion is locked, members of the project. */
export function createNoteAccess<Of extends Noteable>(kind: NoteableKind<Of>): Access<NoteableContext<Of>> {
  return kind
    .readAccess()
    .require(({ caller }, { noteable }) => {
      if (!mayComment(caller, noteable)) throw forbidden();
    })
    .withLabel(`${kind.parentType}:create_note`);
}

/** Loads the note `:note_id` for callers who may read it. */
export function readNoteAccess(kind: NoteableKind) {
  return kind.readAccess().resource(noteResource);
}

/** Loads the note `:note_id` of the thread `:discussion_id` for callers who may read it. */
export function readThreadNoteAccess(kind: NoteableKind) {
  return kind.readAccess().resource(threadNoteResource);
}

/** Admits the author of the note and Maintainers, and nobody for system notes. */
export function updateNoteAccess(kind: NoteableKind) {
  return readNoteAccess(kind).require(requireUpdate).withLabel(updateAbilities(kind));
}

/** Like `updateNoteAccess`, for a note of the thread `:discussion_id`. */
export function updateThreadNoteAccess(kind: NoteableKind) {
  return readThreadNoteAccess(kind).require(requireUpdate).withLabel(updateAbilities(kind));
}

/** Returns the abilities that the list of endpoints shows. */
const updateAbilities = ({ parentType }: Pick<NoteableKind, 'parentType'>) =>
  `${parentType}:change_note, own notes: create_note`;

function requireUpdate(
  { caller }: Pick<AccessCall, 'caller'>,
  { noteable, note }: { readonly noteable: Noteable; readonly note: NoteRow },
): void {
  if (!mayUpdateNote(caller, noteable, note)) throw forbidden();
}

/** Returns whether a caller who may read the note may update or delete it. */
export function mayUpdateNote(caller: Caller, noteable: Noteable, { system, author_id }: NoteRow): boolean {
  if (system || !mayComment(caller, noteable)) return false;
  return author_id === caller.user?.id || mayInParent(caller, 'change_note', noteable);
}

const noteResource = {
  name: 'note',
  params: { note_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly note_id: number }>, { noteable, caller }: NoteableContext<Noteable>) =>
    findNote(db, caller, noteable, params.note_id),
  notFound: genericNotFound,
} as const;

const threadNoteResource = {
  ...noteResource,
  params: { discussion_id: required(string), note_id: required(integer) },
  async load(
    call: AccessCall<{ readonly discussion_id: string; readonly note_id: number }>,
    context: NoteableContext<Noteable>,
  ): Promise<NoteRow | null> {
    const note = await noteResource.load(call, context);
    return note?.discussion_id === call.params.discussion_id ? note : null;
  },
} as const;

/** Reloads noteable and caller in the unit of work. Throws `AccessRevoked` if the caller may no longer comment. */
export async function reloadForComment(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
): Promise<NoteableContext<Noteable>> {
  const current = await kind.reload(uow, uow.actor, requestedNoteable);
  if (!mayComment(current.caller, current.noteable)) throw new AccessRevoked();
  return current;
}

/** Reloads the note in the unit of work. Throws `AccessRevoked` if the caller may no longer change it. */
export async function reloadNoteForUpdate(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  { id }: NoteRow,
): Promise<{ readonly noteable: Noteable; readonly currentNote: NoteRow } | Failure<'notFound'>> {
  const { noteable, caller } = await kind.reload(uow, uow.actor, requestedNoteable);
  const currentNote = await findNote(uow, caller, noteable, id);
  if (currentNote === null) return fail('notFound');
  if (!mayUpdateNote(caller, noteable, currentNote)) throw new AccessRevoked();
  return { noteable, currentNote };
}
