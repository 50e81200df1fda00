import { deleteBatch, type ReferenceColumn, reassignReferences } from '#database/batch-statements.ts';
import { BATCH_SIZE } from './batches.ts';
import type { EventPayloads } from './domain-events.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Reassigns one batch of a deleted user's rows to the ghost user, or deletes it with `hard`, by `remove` if more than
 * these rows must go (contract/conventions.md §10). Returns the number of rows, at most BATCH_SIZE.
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
