import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { sendPasswordLink } from './password-link-mail.ts';

export { toPasswordCheckServices } from './account-locks.ts';
export { recordUserEvent } from './changes.ts';
// Shared with other resources.
export { buildAvatarUrl, EmbeddedUser, isProfileVisibleTo, UserBasic } from './entities.ts';
export { canSendPasswordLinks, enqueuePasswordLink } from './password-link-mail.ts';
export { unlock } from './states.ts';
export { loadUsersById, type UserBasicRow } from './store.ts';

export const users = resourceModule({ endpoints, jobs: [sendPasswordLink] });
