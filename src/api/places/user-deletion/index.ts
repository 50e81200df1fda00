import { family } from '../../../http/endpoint/family.ts';
import { destroyUser } from './destroy.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of the deletion of users.
export { removeUser } from './remove.ts';

export const userDeletion = family({ endpoints, jobs: [destroyUser] });
