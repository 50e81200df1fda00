import { deleteSome, type Referring, referElsewhere } from '#database/batch-statements.ts';
import { PIECE } from './batches.ts';
import type { EventPayloads } from './domain-events.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Some of what a deleted user has written becomes the ghost's; with `hard` it goes, by `remove` where more than its rows goes
 * (contract/conventions.md §10). As `pieceOf` asks: how many they were, PIECE at most.
 */
export function leaveToGhost(
  uow: UnitOfWork,
  written: Referring,
  { userId, ghostUserId, hard }: EventPayloads['user-deleted'],
  remove: (uow: UnitOfWork, userId: number) => Promise<number> = (uow) => deleteSome(uow, written, userId, PIECE),
): Promise<number> {
  return hard ? remove(uow, userId) : referElsewhere(uow, written, { from: userId, to: ghostUserId, most: PIECE });
}
