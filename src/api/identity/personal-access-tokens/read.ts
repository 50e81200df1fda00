import type { Reader } from '../../../database/database.ts';
import { type AccessToken, readToken } from '../../../identity/access-tokens.ts';
import { accessTokenOf, isAdministrator, type SignedIn } from '../../../identity/caller.ts';
import { readUser } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { mayManage } from './revoke.ts';

/** A token that the caller may see. Others learn nothing of what exists. */
export async function visibleToken(
  db: Reader,
  id: number,
  caller: SignedIn,
): Promise<AccessToken | Refused<'notFound' | 'notPermitted'>> {
  const token = await readToken(db, id);
  if (token !== null && mayManage(caller, token)) return token;
  return refused(isAdministrator(caller) ? 'notFound' : 'notPermitted');
}

/** The token that the request came with. */
export async function ownToken(db: Reader, caller: SignedIn): Promise<AccessToken | Refused<'notPersonal'>> {
  const used = accessTokenOf(caller);
  const found = used && (await readToken(db, used.id));
  return found ?? refused('notPersonal');
}

/** Whose tokens the caller lists: `asked` is the parameter, undefined when it was not sent. Null: everybody's. */
export async function listedOwner(
  db: Reader,
  asked: number | null | undefined,
  caller: SignedIn,
): Promise<number | null | Refused<'userNotFound' | 'notPermitted'>> {
  if (!isAdministrator(caller)) {
    return asked === undefined || asked === caller.user.id ? caller.user.id : refused('notPermitted');
  }
  if (asked === undefined) return null;
  const user = asked === null ? null : await readUser(db, asked);
  return user === null ? refused('userNotFound') : user.id;
}
