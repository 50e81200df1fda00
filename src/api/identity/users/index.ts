import { resourceModule } from '#http/endpoint/resource-module.ts';
import { sendEmailConfirmation } from './email-confirmation-mail.ts';
import * as endpoints from './endpoints.ts';
import { sendPasswordLink } from './password-link-mail.ts';

export { toPasswordCheckServices } from './account-locks.ts';
export {
  prepareNewPassword,
  recordUserEvent,
  SAVE_UNIQUE_ERRORS,
  updateUser,
} from './changes.ts';
export { enqueueEmailConfirmation } from './email-confirmation-mail.ts';
export { SAVE_ERRORS } from './endpoints.ts';
// Shared with other resources.
export { buildAvatarUrl, CurrentUser, EmbeddedUser, isProfileVisibleTo, UserBasic } from './entities.ts';
export { canSendLinks } from './link-mail.ts';
export { toUpdateInput, updateUserParams } from './parameters.ts';
export { enqueuePasswordLink } from './password-link-mail.ts';
export { unlockUser } from './states.ts';
export { findCurrentUser, loadUsersById, type UserBasicRow, userBasicColumns } from './store.ts';

export const users = resourceModule({ endpoints, jobs: [sendPasswordLink, sendEmailConfirmation] });
