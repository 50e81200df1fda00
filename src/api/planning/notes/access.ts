import { mayInProject } from '../../../access/abilities.ts';
import { memberRole } from '../../../access/projects.ts';
import type { Access, AccessCall } from '../../../http/access/access.ts';
import type { InThing, Thing, ThingKind } from '../../../http/access/things.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { integer } from '../../../http/parameters/types.ts';
import { forbidden, nestedNotFound } from '../../../http/refusals/refusal.ts';
import { type Caller, isAdministrator, type SignedIn } from '../../../identity/caller.ts';
import { findNote, type NoteRow } from './store.ts';

/** Whoever reads the thing comments on it; where the discussion is locked, members only. */
export function commentingOn(kind: ThingKind): Access<InThing> {
  return kind.reading().and(({ caller }, { thing }) => {
    if (!mayComment(caller, thing)) throw forbidden();
  }, 'project:create_note');
}

function mayComment(caller: Caller, { project, locked }: Thing): boolean {
  if (!mayInProject(caller, 'create_note', project)) return false;
  return !locked || isAdministrator(caller) || memberRole(project) > 0;
}

/** The note of `:note_id`, for who may read it. */
export function readingNote(kind: ThingKind) {
  return kind.reading().record(note);
}

/** Its author, and Maintainers; nobody changes what Hearth has said. */
export function changingNote(kind: ThingKind) {
  return readingNote(kind).and(({ caller }, { thing, note: found }) => {
    if (!mayChange(caller, thing, found)) throw forbidden();
  }, 'project:change_note, own notes: create_note');
}

function mayChange(caller: Caller, thing: Thing, { system, author_id }: NoteRow): boolean {
  if (system || !mayComment(caller, thing)) return false;
  return author_id === caller.user?.id || mayInProject(caller, 'change_note', thing.project);
}

const note = {
  name: 'note',
  params: { note_id: required(integer) },
  find: (
    { db, params }: AccessCall<{ readonly note_id: number }>,
    { thing, caller }: { readonly thing: Thing; readonly caller: SignedIn },
  ) => findNote(db, caller, thing, params.note_id),
  missing: nestedNotFound,
} as const;
