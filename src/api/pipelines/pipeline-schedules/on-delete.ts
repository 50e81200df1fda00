import type { Transaction } from '#database/database.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';

/**
 * Nobody's schedules run no more: whoever takes one has to set it going again. Those of a project, which are few, go with its
 * row.
 */
export const endWithOwner = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) => pieceOf(() => disown(uow, userId, PIECE)),
});

/** index: pipeline_schedules_by_owner */
async function disown(tx: Transaction, userId: number, most: number): Promise<number> {
  const owned = tx.selectFrom('pipeline_schedules').select('id').where('owner_id', '=', userId).limit(most);
  const left = await tx
    .updateTable('pipeline_schedules')
    .set({ owner_id: null, active: false, updated_at: tx.now })
    .where('id', 'in', owned)
    .executeTakeFirst();
  return Number(left.numUpdatedRows);
}
