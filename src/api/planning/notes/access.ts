import { mayAt } from '../../../access/abilities.ts';
import { AccessLost } from '../../../access/standing.ts';
import type { Act } from '../../../facts/act.ts';
import type { Access, AccessCall } from '../../../http/access/access.ts';
import { type InThing, isShutOut, type Thing, type ThingKind } from '../../../http/access/things.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { integer } from '../../../http/parameters/types.ts';
import { forbidden, nestedNotFound } from '../../../http/refusals/refusal.ts';
import type { Caller, SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { findNote, type NoteRow } from './store.ts';

/** Whoever reads the thing comments on it; where the discussion is locked, members only. */
export function commentingOn(kind: ThingKind): Access<InThing> {
  return kind.reading().and(({ caller }, { thing }) => {
    if (!mayComment(caller, thing)) throw forbidden();
  }, `${kind.place}:create_note`);
}

function mayComment(caller: Caller, thing: Thing): boolean {
  return mayAt(caller, 'create_note', thing) && !isShutOut(caller, thing);
}

/** The note of `:note_id`, for who may read it. */
export function readingNote(kind: ThingKind) {
  return kind.reading().record(note);
}

/** Its author, and Maintainers; nobody changes what Hearth has said. */
export function changingNote(kind: ThingKind) {
  return readingNote(kind).and(({ caller }, { thing, note: found }) => {
    if (!mayChange(caller, thing, found)) throw forbidden();
  }, `${kind.place}:change_note, own notes: create_note`);
}

function mayChange(caller: Caller, thing: Thing, { system, author_id }: NoteRow): boolean {
  if (system || !mayComment(caller, thing)) return false;
  return author_id === caller.user?.id || mayAt(caller, 'change_note', thing);
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

/** The thing as it stands in the act, for its caller to comment on. Throws `AccessLost` when he may no more. */
export async function stillCommenting(act: Act<SignedIn>, kind: ThingKind, asked: Thing): Promise<InThing> {
  const standing = await kind.again(act, act.by, asked);
  if (!mayComment(standing.caller, standing.thing)) throw new AccessLost();
  return standing;
}

/** The note as it stands in the act, for its caller to change. Throws `AccessLost` when he may no more. */
export async function stillChanging(
  act: Act<SignedIn>,
  kind: ThingKind,
  asked: Thing,
  { id }: NoteRow,
): Promise<{ readonly thing: Thing; readonly now: NoteRow } | Refused<'gone'>> {
  const { thing, caller } = await kind.again(act, act.by, asked);
  const now = await findNote(act, caller, thing, id);
  if (now === null) return refused('gone');
  if (!mayChange(caller, thing, now)) throw new AccessLost();
  return { thing, now };
}
