import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteStarBatch } from './store.ts';

/** Lowers the counts of starred projects. Stars of a destroyed project are deleted by their foreign key. */
const deleteStarsOfUser = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) => runBatchSteps(() => deleteStarBatch(uow, userId, BATCH_SIZE)),
});

export const stars = resourceModule({ endpoints, subscriptions: [deleteStarsOfUser] });
