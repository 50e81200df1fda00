import { type SelectQueryBuilder, sql } from 'kysely';
import { type AccessToken, activeTokenCondition, tokenColumns } from '#authentication/tokens/access-tokens.ts';
import type { Reader, Schema } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { escapeLike, like } from '#database/search/substring-search.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import type { tokenFilters } from './access.ts';

export type TokenFilter = ParameterValues<typeof tokenFilters>;

type TokenQuery = SelectQueryBuilder<Schema, 'access_tokens', AccessToken>;

/** Values of `sort`, without the direction, and their columns. */
const SORT_COLUMNS: Readonly<Record<string, 'created_at' | 'expires_at' | 'last_used_at' | 'name_key'>> = {
  created: 'created_at',
  expires: 'expires_at',
  last_used: 'last_used_at',
  name: 'name_key',
};

/** Returns one page of the tokens of a user, or of all users if `userId` is null; impersonation tokens on request. */
export function listTokens(
  db: Reader,
  { userId, impersonation }: { readonly userId: number | null; readonly impersonation: boolean },
  filter: TokenFilter,
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  // index: access_tokens_by_user, access_tokens primary key
  const tokens = impersonation ? selectTokens(db) : selectOwnTokens(db);
  return paginateTokens(db, userId === null ? tokens : tokens.where('user_id', '=', userId), filter, page);
}

function selectTokens(db: Reader): TokenQuery {
  return db.selectFrom('access_tokens').select(tokenColumns);
}

/** Selects tokens that are not impersonation tokens. */
export function selectOwnTokens(db: Reader): TokenQuery {
  return selectTokens(db).where('impersonation', '=', false);
}

/** Returns one page of these tokens, filtered and ordered. */
export function paginateTokens(
  db: Reader,
  tokens: TokenQuery,
  filter: TokenFilter,
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  return paginate(db, applySort(applyFilter(db, tokens, filter), filter.sort), page);
}

function applyFilter(db: Reader, query: TokenQuery, filter: TokenFilter): TokenQuery {
  const { revoked, state, search } = filter;
  let tokens = query;
  if (typeof revoked === 'boolean') tokens = tokens.where('revoked', '=', revoked);
  if (state === 'active') tokens = tokens.where(activeTokenCondition(db.today));
  if (state === 'inactive') tokens = tokens.where((eb) => eb.not(activeTokenCondition(db.today)));
  if (filter.created_before) tokens = tokens.where('created_at', '<=', filter.created_before);
  if (filter.created_after) tokens = tokens.where('created_at', '>=', filter.created_after);
  if (filter.last_used_before) tokens = tokens.where('last_used_at', '<=', filter.last_used_before);
  if (filter.last_used_after) tokens = tokens.where('last_used_at', '>=', filter.last_used_after);
  // All bounds are inclusive except `expires_before`.
  if (filter.expires_before) tokens = tokens.where('expires_at', '<', filter.expires_before);
  if (filter.expires_after) tokens = tokens.where('expires_at', '>=', filter.expires_after);
  if (search) tokens = tokens.where((eb) => like(eb.ref('name_key'), `%${escapeLike(foldCase(search))}%`));
  return tokens;
}

/** Orders by a value such as `created_asc` or `name_desc`, nulls last; by id for an unknown value. */
function applySort(query: TokenQuery, sort: string | null | undefined): TokenQuery {
  const [, sortName = '', directionName = 'asc'] = /^(.+)_(asc|desc)$/.exec(sort ?? '') ?? [];
  const column = Object.hasOwn(SORT_COLUMNS, sortName) ? SORT_COLUMNS[sortName] : undefined;
  if (column === undefined) return query.orderBy('access_tokens.id', 'asc');
  const direction = directionName as 'asc' | 'desc';
  const nullRank = sql`case when ${sql.ref(column)} is null then 1 else 0 end`;
  return query.orderBy(nullRank).orderBy(column, direction).orderBy('access_tokens.id', direction);
}
