import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { emojiNamed } from './emoji.ts';
import { type Awarded, type AwardRow, countAward, deleteAward, deleteAwardOf, insertAward } from './store.ts';

export type { Awarded } from './store.ts';

/** Awards the emoji of this short name: once, whatever races. It is in no feed and no mail. */
export async function award(
  uow: UnitOfWork<SignedInCaller>,
  to: Awarded,
  given: string,
): Promise<AwardRow | Failure<'unknown' | 'taken'>> {
  const name = emojiNamed(given);
  if (name === null) return fail('unknown');
  const { user } = uow.actor;
  const row = await insertAward(uow, to, { userId: user.id, name });
  if (row === null) return fail('taken');
  await countAward(uow, to, name, 1);
  const { type, id } = to.thing;
  await uow.publish('emoji-awarded', { userId: user.id, about: { type, id } });
  return row;
}

/** Takes one back. */
export async function revoke(uow: UnitOfWork, from: Awarded, awardId: number): Promise<undefined | Failure<'gone'>> {
  const gone = await deleteAward(uow, awardId);
  if (gone === null) return fail('gone');
  await countAward(uow, from, gone.name, -1);
}

/** Takes the caller's own of this name back if there is one, else awards it; says which name it was. */
export async function toggleAward(
  uow: UnitOfWork<SignedInCaller>,
  on: Awarded,
  given: string,
): Promise<string | Failure<'unknown' | 'taken'>> {
  const name = emojiNamed(given);
  if (name === null) return fail('unknown');
  if ((await deleteAwardOf(uow, on, { userId: uow.actor.user.id, name })) === null) {
    const awarded = await award(uow, on, name);
    return isFailure(awarded) ? awarded : name;
  }
  await countAward(uow, on, name, -1);
  return name;
}
