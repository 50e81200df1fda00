import { deleteSome, type Referring, referElsewhere } from '#database/batch-statements.ts';
import { PIECE } from './batches.ts';
import type { Facts } from './domain-events.ts';
import type { Act } from './unit-of-work.ts';

/**
 * Some of what a deleted user has written becomes the ghost's; with `hard` it goes, by `remove` where more than its rows goes
 * (contract/conventions.md §10). As `pieceOf` asks: how many they were, PIECE at most.
 */
export function leaveToGhost(
  act: Act,
  written: Referring,
  { userId, ghostUserId, hard }: Facts['user-deleted'],
  remove: (act: Act, userId: number) => Promise<number> = (act) => deleteSome(act, written, userId, PIECE),
): Promise<number> {
  return hard ? remove(act, userId) : referElsewhere(act, written, { from: userId, to: ghostUserId, most: PIECE });
}
