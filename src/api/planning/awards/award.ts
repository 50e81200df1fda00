import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findEmojiName } from './emoji.ts';
import {
  type Awardable,
  type AwardRow,
  deleteAward,
  deleteAwardByName,
  insertAward,
  updateVoteCount,
} from './store.ts';

export type { Awardable } from './store.ts';

/**
 * Awards an emoji by its name or alias. Fails if the caller has already awarded it, even in a concurrent call. Creates no
 * activity event and no mail.
 */
export async function createAward(
  uow: UnitOfWork<SignedInCaller>,
  awardable: Awardable,
  shortName: string,
): Promise<AwardRow | Failure<'unknownEmoji' | 'alreadyAwarded'>> {
  const name = findEmojiName(shortName);
  if (name === null) return fail('unknownEmoji');
  const { user } = uow.actor;
  const row = await insertAward(uow, awardable, { userId: user.id, name });
  if (row === null) return fail('alreadyAwarded');
  await updateVoteCount(uow, awardable, name, 1);
  const { type, id } = awardable.noteable;
  await uow.publish('emoji-awarded', { userId: user.id, about: { type, id } });
  return row;
}

/** Deletes an award and updates the vote count. */
export async function removeAward(
  uow: UnitOfWork,
  awardable: Awardable,
  awardId: number,
): Promise<undefined | Failure<'notFound'>> {
  const deletedAward = await deleteAward(uow, awardId);
  if (deletedAward === null) return fail('notFound');
  await updateVoteCount(uow, awardable, deletedAward.name, -1);
}

/** Deletes the caller's award of this name if it exists, else creates it. Returns the canonical name. */
export async function toggleAward(
  uow: UnitOfWork<SignedInCaller>,
  awardable: Awardable,
  shortName: string,
): Promise<string | Failure<'unknownEmoji' | 'alreadyAwarded'>> {
  const name = findEmojiName(shortName);
  if (name === null) return fail('unknownEmoji');
  if ((await deleteAwardByName(uow, awardable, { userId: uow.actor.user.id, name })) === null) {
    const awardResult = await createAward(uow, awardable, name);
    return isFailure(awardResult) ? awardResult : name;
  }
  await updateVoteCount(uow, awardable, name, -1);
  return name;
}
