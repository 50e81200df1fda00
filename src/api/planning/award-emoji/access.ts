import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayAt } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Access, type AccessCall, signedInCaller } from '#http/access/access.ts';
import { isShutOut, type NumberedThing, type Thing, type ThingKind } from '#http/access/noteables.ts';
import { forbidden, nestedNotFound, notFound, unauthorized } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type Awarded, findAward } from '../awards/index.ts';
import { THINGS } from '../noteables/index.ts';
import { findNote, isNoteOf, type NoteRow } from '../notes/index.ts';

/** What emoji are awarded to, by path, and who may (contract/planning.md §3.13). */

type ThingPath = ThingKind['numberedPath'];

/** A thing, or a note on one, as a declaration sees it. */
interface AwardableKind {
  readonly of: ThingKind;
  /** With its article, for summaries. */
  readonly one: string;
  readonly path: ThingPath | `${ThingPath}/notes/:note_id`;
  readonly isNote: boolean;
}

export interface InAwarded<By extends Caller = Caller> {
  readonly awarded: Awarded & { readonly thing: Thing; readonly note: NoteRow | null };
  readonly caller: By;
}

const things = THINGS.map((kind) => [
  { of: kind, one: kind.aThing, path: kind.numberedPath, isNote: false },
  { of: kind, one: `a note on ${kind.aThing}`, path: `${kind.numberedPath}/notes/:note_id`, isNote: true },
]) as readonly (readonly AwardableKind[])[];

/** `export const [listIssueAwardEmoji, listIssueNoteAwardEmoji, ...] = forAwardables((kind) => endpoint({ ... }))` */
export function forAwardables<Made>(
  declare: (kind: AwardableKind) => Made,
): readonly [Made, Made, Made, Made, Made, Made] {
  return things.flat().map(declare) as unknown as readonly [Made, Made, Made, Made, Made, Made];
}

/** Whoever can't read it learns no more of it. */
const unreadable = () => notFound('Award Emoji');

/** Whoever reads it, the public where it is open. */
export const readingAwarded = (kind: AwardableKind): Access<InAwarded> => reaching(kind, 'anybody');

function reaching(kind: AwardableKind, callers: 'anybody' | 'users'): Access<InAwarded> {
  const inThing = kind.of.numbered(callers, unreadable);
  if (!kind.isNote) return inThing.map(({ thing, caller }) => ({ awarded: { thing, note: null }, caller }));
  return inThing.resource(note).map(({ thing, note, caller }) => ({ awarded: { thing, note }, caller }));
}

/** The note of `:note_id` on the thing. */
const note = {
  name: 'note',
  params: { note_id: required(integer) },
  async load({ db, params }: AccessCall<{ readonly note_id: number }>, { thing, caller }: NumberedThing) {
    const found = await findNote(db, caller, thing, params.note_id);
    if (found === null && (await isNoteOf(db, thing, params.note_id))) throw unreadable();
    return found;
  },
  notFound: nestedNotFound,
} as const;

/** Every user who reads it; where the discussion is locked, members only. */
export function awarding(kind: AwardableKind): Access<InAwarded<SignedInCaller>> {
  return writing(kind).require(({ caller }, { awarded }) => {
    if (isShutOut(caller, awarded.thing)) throw unreadable();
  });
}

const writing = (kind: AwardableKind): Access<InAwarded<SignedInCaller>> =>
  reaching(kind, 'users')
    .require(({ caller }, { awarded }) => {
      if (!mayAt(caller, 'create_note', awarded.thing)) throw forbidden();
    }, `${kind.of.place}:create_note`)
    .map(({ awarded, caller }) => ({ awarded, caller: signedInCaller(caller) }));

/** What is awarded as it stands in the act, for its caller to award. Throws `AccessRevoked` when he may no more. */
export async function stillAwarding(
  uow: UnitOfWork<SignedInCaller>,
  kind: AwardableKind,
  { thing: asked, note: said }: InAwarded['awarded'],
): Promise<InAwarded['awarded']> {
  const { thing, caller } = await kind.of.again(uow, uow.actor, asked);
  const found = said === null ? null : await findNote(uow, caller, thing, said.id);
  const isGone = said !== null && found === null;
  if (isGone || !mayAt(caller, 'create_note', thing) || isShutOut(caller, thing)) throw new AccessRevoked();
  return { thing, note: found };
}

/** What `:award_id` names of it. */
export const awardOfPath = {
  name: 'award',
  params: { award_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly award_id: number }>, { awarded }: Pick<InAwarded, 'awarded'>) =>
    findAward(db, awarded, params.award_id),
  notFound: nestedNotFound,
} as const;

/** Who has awarded it, and administrators. */
export const revoking = (kind: AwardableKind) =>
  writing(kind)
    .resource(awardOfPath)
    .require(({ caller }, { award }) => {
      if (award.user_id !== caller.user?.id && !isAdministrator(caller)) throw unauthorized();
    }, `${kind.of.place}:create_note, own awards`);
