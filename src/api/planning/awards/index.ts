import { sql } from 'kysely';
import { getResourceTable, toResource } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { getEmojiNames } from './emoji-names.ts';
import {
  type Awardable,
  type AwardRow,
  deleteAward,
  deleteAwardByName,
  insertAward,
  updateVoteCount,
  VOTE_COLUMN_ENTRIES,
} from './store.ts';

// Award emoji on issuables and notes. Other modules use them in their endpoints and quick actions; this one declares no endpoints.
export { type Awardable, type AwardRow, findAward, listAwards } from './store.ts';

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

/** Maps each name and alias to the canonical name. Built on first use. */
let canonicalNames: ReadonlyMap<string, string> | undefined;

/** Returns the canonical name of the emoji with this name or alias, or null if there is none. */
export function findEmojiName(name: string): string | null {
  canonicalNames ??= new Map(
    getEmojiNames()
      .trim()
      .split(/\s/)
      .flatMap(expandSkinTones)
      .flatMap((nameGroup) => {
        const [canonicalName, ...aliases] = nameGroup.split('=') as [string, ...string[]];
        return [canonicalName, ...aliases].map((nameOrAlias) => [nameOrAlias, canonicalName] as const);
      }),
  );
  return canonicalNames.get(name) ?? null;
}

const SKIN_TONES = ['light', 'medium_light', 'medium', 'medium_dark', 'dark'];

/**
 * Expands a group of names for the skin tones: `wave_tone*=waving_hand_*_skin_tone` becomes
 * `wave_tone1=waving_hand_light_skin_tone` and so on. `+` is a second skin tone, which differs from the first.
 * Returns a group without `*` unchanged.
 */
function expandSkinTones(nameGroup: string): string[] {
  if (!nameGroup.includes('*')) return [nameGroup];
  return SKIN_TONES.flatMap((tone, index) => {
    // After `tone` the skin tone is a number, elsewhere a word.
    const group = nameGroup.replaceAll('tone*', `tone${index + 1}`).replaceAll('*', tone);
    if (!group.includes('+')) return [group];
    return SKIN_TONES.filter((otherTone) => otherTone !== tone).map((otherTone) => group.replaceAll('+', otherTone));
  });
}

/** When a user is deleted with their contributions: deletes their awards and updates the vote counts. */
export const onAwardUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: async (uow, { userId, hard }) => (hard ? runBatchSteps(() => deleteAwardsBatch(uow, userId)) : undefined),
});

/** Deletes a batch of the user's awards and returns how many. index: award_emoji_by_user */
async function deleteAwardsBatch(uow: UnitOfWork, userId: number): Promise<number> {
  const hasIdOf = (rows: readonly { readonly id: number }[]) =>
    isInIds(
      uow,
      sql<number>`id`,
      rows.map(({ id }) => id),
    );
  const rows = await uow
    .selectFrom('award_emoji')
    .selectAll()
    .where('user_id', '=', userId)
    .limit(BATCH_SIZE)
    .execute();
  for (const [name, voteColumn] of VOTE_COLUMN_ENTRIES) {
    const votedNoteables = rows.filter((row) => row.name === name && row.note_id === null).map(toResource);
    for (const [type, noteables] of Map.groupBy(votedNoteables, (noteable) => noteable.type)) {
      const decrement = { [voteColumn]: sql<number>`${sql.ref(voteColumn)} - 1` };
      await uow.updateTable(getResourceTable(type)).set(decrement).where(hasIdOf(noteables)).execute();
    }
  }
  await uow.deleteFrom('award_emoji').where(hasIdOf(rows)).execute();
  return rows.length;
}
