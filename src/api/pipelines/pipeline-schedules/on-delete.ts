import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/**
 * Deactivates the schedules of a deleted user; a new owner must activate them again. The few schedules of a project are
 * deleted with its row.
 */
export const onScheduleOwnerDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) => runBatchSteps(() => deactivateSchedulesOfUser(uow, userId, BATCH_SIZE)),
});

/** Deactivates one batch and returns its size. index: pipeline_schedules_by_owner */
async function deactivateSchedulesOfUser(tx: Transaction, userId: number, limit: number): Promise<number> {
  const ownedSchedules = tx.selectFrom('pipeline_schedules').select('id').where('owner_id', '=', userId).limit(limit);
  const result = await tx
    .updateTable('pipeline_schedules')
    .set({ owner_id: null, active: false, updated_at: tx.now })
    .where('id', 'in', ownedSchedules)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}
