import type { Act } from '../../../facts/act.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';

export type NoTarget = 'userNotFound' | 'internalUser';

/** The user whose addresses are changed: not one of Hearth's own. */
export async function targetUser(act: Act, id: number): Promise<User | Refused<NoTarget>> {
  const user = await readUser(act, id);
  if (user === null) return refused('userNotFound');
  return user.internal ? refused('internalUser') : user;
}
