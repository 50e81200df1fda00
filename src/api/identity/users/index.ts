import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of users.
export { avatarUrl, EmbeddedUser, profileVisibleTo, UserBasic } from './entities.ts';
export { recordUser } from './history.ts';
export { type UserBasicRow, usersById } from './store.ts';

export const users = family({ endpoints });
