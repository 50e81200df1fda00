import { accessTokenOf, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, readToken } from '#authentication/tokens/access-tokens.ts';
import { readUser } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import type { Page } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { mayManage } from './revoke.ts';
import { listTokens, type TokenFilter } from './store.ts';

/** A token that the caller may see. Others learn nothing of what exists. */
export async function visibleToken(
  db: Reader,
  caller: SignedInCaller,
  id: number,
): Promise<AccessToken | Failure<'notFound' | 'notPermitted'>> {
  const token = await readToken(db, id);
  if (token !== null && mayManage(caller, token)) return token;
  return fail(isAdministrator(caller) ? 'notFound' : 'notPermitted');
}

/** The token that the request came with. */
export async function ownToken(db: Reader, caller: SignedInCaller): Promise<AccessToken | Failure<'notPersonal'>> {
  const used = accessTokenOf(caller);
  const found = used && (await readToken(db, used.id));
  return found ?? fail('notPersonal');
}

/** What a list asks for: whose tokens, undefined when the parameter was not sent, and which of them. */
interface Asked extends TokenFilter {
  readonly user_id?: number | null | undefined;
}

/** One page of the tokens that the caller may see: with which others act as somebody, administrators alone. */
export async function visibleTokens(
  db: Reader,
  caller: SignedInCaller,
  { user_id, ...filter }: Asked,
  page: OffsetRequest,
): Promise<Page<AccessToken> | Failure<'userNotFound' | 'notPermitted'>> {
  const owner = await listedOwner(db, caller, user_id);
  if (isFailure(owner)) return owner;
  return listTokens(db, { userId: owner, impersonation: isAdministrator(caller) }, filter, page);
}

/** Whose tokens the caller lists. Null: everybody's. */
async function listedOwner(
  db: Reader,
  caller: SignedInCaller,
  asked: number | null | undefined,
): Promise<number | null | Failure<'userNotFound' | 'notPermitted'>> {
  if (!isAdministrator(caller)) {
    return asked === undefined || asked === caller.user.id ? caller.user.id : fail('notPermitted');
  }
  if (asked === undefined) return null;
  const user = asked === null ? null : await readUser(db, asked);
  return user === null ? fail('userNotFound') : user.id;
}
