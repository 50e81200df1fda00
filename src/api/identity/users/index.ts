import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of users.
export {
  avatarUrl,
  UserBasic,
  type UserBasicRow,
  UserExtended,
  userBasic,
  userExtended,
} from './entities.ts';
export { usersById } from './store.ts';

export const users = family({ endpoints });
