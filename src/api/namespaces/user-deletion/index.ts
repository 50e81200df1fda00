import { resourceModule } from '#http/endpoint/resource-module.ts';
import { destroyUser } from './destroy.ts';
import * as endpoints from './endpoints.ts';

// Exports for other modules.
export { deleteUserWithReferences } from './destroy.ts';

/**
 * `DELETE /users/:id` deactivates the account in one unit of work: sessions, tokens and codes are deleted, and the
 * user can no longer be found. A job deletes large data in batches. Its last unit of work publishes `user-deleted`, so
 * that other modules delete or reassign the user's data, and deletes the row (`deleteUserWithReferences`).
 * Subscriptions with many rows work in batches, which the job requests beforehand (`uow.publishBatch`). Projects and
 * groups are destroyed in the same way, and cannot be restored after the first batch. Bots of project and group tokens
 * (`domain/members/token-bots.ts`) are deleted in the unit of work that destroys their project or group.
 */
export const userDeletion = resourceModule({ endpoints, jobs: [destroyUser] });
