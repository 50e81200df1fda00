import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, findAccessToken } from '#authentication/tokens/access-tokens.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import type { Page } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { canManageToken } from './revoke.ts';
import { listTokens, type TokenFilter } from './store.ts';

/** Returns a token that the caller may see. Only administrators get 404 for a missing token; others get 401 in any case. */
export async function getVisibleToken(
  db: Reader,
  caller: SignedInCaller,
  id: number,
): Promise<AccessToken | Failure<'notFound' | 'notPermitted'>> {
  const token = await findAccessToken(db, id);
  if (token !== null && canManageToken(caller, token)) return token;
  return fail(isAdministrator(caller) ? 'notFound' : 'notPermitted');
}

/** Returns the token that authenticated the request. */
export async function getOwnToken(db: Reader, caller: SignedInCaller): Promise<AccessToken | Failure<'notPersonal'>> {
  const currentToken = getAccessToken(caller);
  const accessToken = currentToken && (await findAccessToken(db, currentToken.id));
  return accessToken ?? fail('notPersonal');
}

/** `user_id` is undefined if the parameter was not sent. */
interface TokenListParams extends TokenFilter {
  readonly user_id?: number | null | undefined;
}

/** Returns one page of the tokens that the caller may see; impersonation tokens are listed for administrators only. */
export async function listVisibleTokens(
  db: Reader,
  caller: SignedInCaller,
  { user_id, ...filter }: TokenListParams,
  page: OffsetRequest,
): Promise<Page<AccessToken> | Failure<'userNotFound' | 'notPermitted'>> {
  const owner = await resolveOwner(db, caller, user_id);
  if (isFailure(owner)) return owner;
  return listTokens(db, { userId: owner, impersonation: isAdministrator(caller) }, filter, page);
}

/** Returns the id of the user whose tokens are listed, or null for all users. */
async function resolveOwner(
  db: Reader,
  caller: SignedInCaller,
  requestedId: number | null | undefined,
): Promise<number | null | Failure<'userNotFound' | 'notPermitted'>> {
  if (!isAdministrator(caller)) {
    return requestedId === undefined || requestedId === caller.user.id ? caller.user.id : fail('notPermitted');
  }
  if (requestedId === undefined) return null;
  const user = requestedId === null ? null : await findUserById(db, requestedId);
  return user === null ? fail('userNotFound') : user.id;
}
