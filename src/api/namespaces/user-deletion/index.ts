import { resourceModule } from '#http/endpoint/resource-module.ts';
import { destroyUser } from './destroy.ts';
import * as endpoints from './endpoints.ts';

// Exports for other modules.
export { deleteUserWithReferences } from './destroy.ts';

/**
 * Deletion of users. `DELETE /users/:id` disables the account in one unit of work: sessions, tokens and authorization codes are
 * deleted, and the user can no longer be found. The job `destroy_user` then deletes the rest:
 * 1. It destroys the personal projects, and on request the owned groups, in batches. After the first batch they cannot be restored.
 * 2. It asks subscribers of `user-deleted` with many rows to delete or reassign them in batches (`uow.publishBatch`).
 * 3. Its last unit of work publishes `user-deleted` to all other subscribers and deletes the row (`deleteUserWithReferences`).
 * Bots of project and group tokens (`domain/members/token-bots.ts`) are deleted in the unit of work that destroys their project or
 * group.
 */
export const userDeletion = resourceModule({ endpoints, jobs: [destroyUser] });
