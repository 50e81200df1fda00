import { type AccessToken, activeTokens, tokenColumns } from '#authentication/tokens/access-tokens.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

interface ImpersonationFilter {
  readonly state: 'all' | 'active' | 'inactive';
}

/** One page of the tokens with which others act as this user, the oldest first. */
export async function listTokens(
  db: Reader,
  userId: number,
  { state }: ImpersonationFilter,
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  const active = activeTokens(db.today);
  // index: access_tokens_by_user
  let tokens = db
    .selectFrom('access_tokens')
    .select(tokenColumns)
    .where('user_id', '=', userId)
    .where('impersonation', '=', true);
  if (state === 'active') tokens = tokens.where(active);
  if (state === 'inactive') tokens = tokens.where((eb) => eb.not(active));
  return paged(db, tokens.orderBy('access_tokens.id'), page);
}
