import { family } from '#http/endpoint/resource-module.ts';
import { destroyUser } from './destroy.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of the deletion of users.
export { removeUser } from './delete-user-row.ts';

/**
 * `DELETE /users/:id` (`api/places/user-deletion/`) ends the account in one act: sessions, tokens and codes go, and
 * `readUser` finds nobody. A job destroys what is large step by step; its last act publishes `user-deleted`, from
 * which families take what they keep of the user, and removes the row (`removeUser`). What there may be very many of they do by pieces
 * (`inPieces` of their subscription), which the job asks for act by act before (`uow.ahead`); so do projects and groups that are destroyed.
 * From the first piece on these are restored by nobody. The bots of project and group tokens
 * (`domain/members/token-bots.ts`) end by the same road, in the act that destroys their project or group.
 */
export const userDeletion = family({ endpoints, jobs: [destroyUser] });
