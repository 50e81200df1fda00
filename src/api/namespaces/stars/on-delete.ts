import { BATCH_SIZE } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { deleteStarBatch } from './store.ts';

/** Deletes the stars of a deleted user. Stars of a destroyed project are deleted by their foreign key. */
export const deleteStarsOfUser = defineSubscription({
  event: 'user-deleted',
  async inTransaction(uow, { userId }) {
    while ((await deleteStarBatch(uow, userId, BATCH_SIZE)) === BATCH_SIZE);
  },
});
