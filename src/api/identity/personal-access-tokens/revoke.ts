import type { Database, Transaction } from '../../../database/database.ts';
import { type AccessToken, readToken, revokeToken } from '../../../identity/access-tokens.ts';
import { accessTokenOf, isAdministrator, type SignedIn } from '../../../identity/caller.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { recordToken } from './record.ts';

/** Administrators may do it with every token, others with their own; who impersonates is not the user. */
export function mayManage(caller: SignedIn, token: AccessToken): boolean {
  return isAdministrator(caller) || (token.user_id === caller.user.id && !token.impersonation);
}

/** Ends a token. Ending it again changes nothing. */
export async function revoke(
  database: Database,
  id: number,
  caller: SignedIn,
): Promise<undefined | Refused<'notFound' | 'notPermitted'>> {
  return database.transaction(async (tx) => {
    const token = await readToken(tx, id);
    if (token === null) return refused('notFound');
    if (!mayManage(caller, token)) return refused('notPermitted');
    await end(tx, token, caller);
    return undefined;
  });
}

/** Ends the token that the request came with. */
export async function revokeOwn(database: Database, caller: SignedIn): Promise<undefined | Refused<'notPersonal'>> {
  const used = accessTokenOf(caller);
  if (used === null) return refused('notPersonal');
  return database.transaction(async (tx) => {
    const token = await readToken(tx, used.id);
    if (token !== null) await end(tx, token, caller);
    return undefined;
  });
}

async function end(tx: Transaction, token: AccessToken, caller: SignedIn): Promise<void> {
  if (!(await revokeToken(tx, token.id))) return;
  const owner = (await readUser(tx, token.user_id)) as User;
  await recordToken(tx, caller, { event: 'revoked', token, owner });
}
