import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

/** Deletes the mails to a deleted user. index: mail_messages_by_recipient */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'mail_messages', column: 'recipient_id' }, userId, BATCH_SIZE)),
});
