import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { sendPasswordLink } from './password-link-mail.ts';

export { toPasswordCheckServices } from './account-locks.ts';
export {
  prepareNewPassword,
  recordUserEvent,
  SAVE_UNIQUE_ERRORS,
  type UserUpdateInput,
  updateUser,
} from './changes.ts';
export { SAVE_ERRORS } from './endpoints.ts';
// Shared with other resources.
export { buildAvatarUrl, CurrentUser, EmbeddedUser, isProfileVisibleTo, UserBasic } from './entities.ts';
export { toUpdateInput, updateUserParams } from './parameters.ts';
export { canSendPasswordLinks, enqueuePasswordLink } from './password-link-mail.ts';
export { unlock } from './states.ts';
export { loadUsersById, type UserBasicRow } from './store.ts';

export const users = resourceModule({ endpoints, jobs: [sendPasswordLink] });
