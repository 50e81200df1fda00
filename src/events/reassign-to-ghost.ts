import { deleteBatch, type ReferenceColumn, reassignReferences } from '#database/batch-statements.ts';
import { BATCH_SIZE } from './batches.ts';
import type { EventPayloads } from './domain-events.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Reassigns one batch of a deleted user's rows to the ghost user or, with `hard`, deletes it (contract/conventions.md
 * §10). `remove` replaces the plain deletion where related rows must be deleted too. Returns the number of rows, at most
 * BATCH_SIZE.
 */
export function reassignToGhost(
  uow: UnitOfWork,
  authorColumn: ReferenceColumn,
  { userId, ghostUserId, hard }: EventPayloads['user-deleted'],
  remove: (uow: UnitOfWork, userId: number) => Promise<number> = (uow) =>
    deleteBatch(uow, authorColumn, userId, BATCH_SIZE),
): Promise<number> {
  return hard
    ? remove(uow, userId)
    : reassignReferences(uow, authorColumn, { from: userId, to: ghostUserId, limit: BATCH_SIZE });
}
