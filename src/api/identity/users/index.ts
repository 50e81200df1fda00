import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { recordUser } from './activity.ts';
// What other families may use of users.
export { avatarUrl, EmbeddedUser, profileVisibleTo, UserBasic } from './entities.ts';
export { type UserBasicRow, usersById } from './store.ts';

export const users = family({ endpoints });
