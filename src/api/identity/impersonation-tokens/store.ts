import { type AccessToken, activeTokenCondition, tokenColumns } from '#authentication/tokens/access-tokens.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

interface ImpersonationTokenFilter {
  readonly state: 'all' | 'active' | 'inactive';
}

/** Returns one page of the impersonation tokens of a user, ordered by id. */
export async function listImpersonationTokensOfUser(
  db: Reader,
  userId: number,
  { state }: ImpersonationTokenFilter,
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  const isActive = activeTokenCondition(db.today);
  // index: access_tokens_by_user
  let tokens = db
    .selectFrom('access_tokens')
    .select(tokenColumns)
    .where('user_id', '=', userId)
    .where('impersonation', '=', true);
  if (state === 'active') tokens = tokens.where(isActive);
  if (state === 'inactive') tokens = tokens.where((eb) => eb.not(isActive));
  return paginate(db, tokens.orderBy('access_tokens.id'), page);
}
