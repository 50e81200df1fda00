import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Access, type AccessCall, requireSignedInCaller } from '#http/access/access.ts';
import { type Issuable, type IssuableContext, type IssuableKind, isLockedOut } from '#http/access/noteables.ts';
import { forbidden, genericNotFound, notFound, unauthorized } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type Awardable, findAward } from '../awards/index.ts';
import { ISSUABLE_KINDS } from '../noteables/index.ts';
import { findNote, isNoteOnNoteable, type NoteRow } from '../notes/index.ts';

/**
 * Access to awardables, the objects to which users can add emoji: issuables and notes on them (contract/planning.md §3.13).
 * An award is one emoji that a user has added.
 */

type IssuablePath = IssuableKind['iidPath'];

/** A kind of awardable for which endpoints are declared: a kind of issuable, or its notes. */
interface AwardableKind {
  readonly issuableKind: IssuableKind;
  /** Noun with its article, for summaries. */
  readonly nounWithArticle: string;
  readonly path: IssuablePath | `${IssuablePath}/notes/:note_id`;
  readonly isNote: boolean;
}

/** The awardable of a request, and the caller. */
interface AwardableContext<By extends Caller = Caller> {
  readonly awardable: Awardable & { readonly noteable: Issuable; readonly note: NoteRow | null };
  readonly caller: By;
}

const AWARDABLE_KINDS = ISSUABLE_KINDS.map((kind) => [
  { issuableKind: kind, nounWithArticle: kind.nounWithArticle, path: kind.iidPath, isNote: false },
  {
    issuableKind: kind,
    nounWithArticle: `a note on ${kind.nounWithArticle}`,
    path: `${kind.iidPath}/notes/:note_id`,
    isNote: true,
  },
]) as readonly (readonly AwardableKind[])[];

/**
 * Returns one endpoint for each kind of awardable: issues, merge requests and epics, each followed by its notes.
 * `export const [listIssueAwardEmoji, listIssueNoteAwardEmoji, ...] = forAwardables((kind) => endpoint({ ... }))`
 */
export function forAwardables<Definition>(
  define: (kind: AwardableKind) => Definition,
): readonly [Definition, Definition, Definition, Definition, Definition, Definition] {
  return AWARDABLE_KINDS.flat().map(define) as unknown as readonly [
    Definition,
    Definition,
    Definition,
    Definition,
    Definition,
    Definition,
  ];
}

/** Returns the error for callers who may not read the awardable. */
const awardEmojiNotFound = () => notFound('Award Emoji');

/** Access for callers who may read the awardable, anonymous ones included. */
export const readAwardableAccess = (kind: AwardableKind): Access<AwardableContext> => awardableAccess(kind, 'anybody');

function awardableAccess(kind: AwardableKind, callers: 'anybody' | 'users'): Access<AwardableContext> {
  const access = kind.issuableKind.accessByIid(callers, awardEmojiNotFound);
  if (!kind.isNote) return access.map(({ noteable, caller }) => ({ awardable: { noteable, note: null }, caller }));
  return access.resource(noteResource).map(({ noteable, note, caller }) => ({ awardable: { noteable, note }, caller }));
}

/** Resource: the note `:note_id` on the issuable. */
const noteResource = {
  name: 'note',
  params: { note_id: required(integer) },
  async load({ db, params }: AccessCall<{ readonly note_id: number }>, { noteable, caller }: IssuableContext) {
    const note = await findNote(db, caller, noteable, params.note_id);
    if (note === null && (await isNoteOnNoteable(db, noteable, params.note_id))) throw awardEmojiNotFound();
    return note;
  },
  notFound: genericNotFound,
} as const;

/** Access for users who may comment on the awardable: only members if its discussion is locked. */
export function createAwardAccess(kind: AwardableKind): Access<AwardableContext<SignedInCaller>> {
  return commentOnAwardableAccess(kind).require(({ caller }, { awardable }) => {
    if (isLockedOut(caller, awardable.noteable)) throw awardEmojiNotFound();
  });
}

/** Access for users who may read the awardable and comment on it. */
const commentOnAwardableAccess = (kind: AwardableKind): Access<AwardableContext<SignedInCaller>> =>
  awardableAccess(kind, 'users')
    .require(({ caller }, { awardable }) => {
      if (!mayInParent(caller, 'create_note', awardable.noteable)) throw forbidden();
    })
    .withLabel(`${kind.issuableKind.parentType}:create_note`)
    .map(({ awardable, caller }) => ({ awardable, caller: requireSignedInCaller(caller) }));

/** Reloads the awardable in the unit of work. Throws `AccessRevoked` if the caller may no longer award it. */
export async function reloadAwardable(
  uow: UnitOfWork<SignedInCaller>,
  kind: AwardableKind,
  { noteable: requestedNoteable, note: requestedNote }: AwardableContext['awardable'],
): Promise<AwardableContext['awardable']> {
  const { noteable, caller } = await kind.issuableKind.reload(uow, uow.actor, requestedNoteable);
  const note = requestedNote === null ? null : await findNote(uow, caller, noteable, requestedNote.id);
  const isNoteDeleted = requestedNote !== null && note === null;
  if (isNoteDeleted || !mayInParent(caller, 'create_note', noteable) || isLockedOut(caller, noteable))
    throw new AccessRevoked();
  return { noteable, note };
}

/** Resource: the award `:award_id` of the awardable. */
export const awardResource = {
  name: 'award',
  params: { award_id: required(integer) },
  load: (
    { db, params }: AccessCall<{ readonly award_id: number }>,
    { awardable }: Pick<AwardableContext, 'awardable'>,
  ) => findAward(db, awardable, params.award_id),
  notFound: genericNotFound,
} as const;

/** Access for the user who gave the award and for administrators. */
export const deleteAwardAccess = (kind: AwardableKind) =>
  commentOnAwardableAccess(kind)
    .resource(awardResource)
    .require(({ caller }, { award }) => {
      if (award.user_id !== caller.user?.id && !isAdministrator(caller)) throw unauthorized();
    })
    .withLabel(`${kind.issuableKind.parentType}:create_note, own awards`);
