import { type SelectQueryBuilder, sql } from 'kysely';
import { type AccessToken, activeTokens, tokenColumns } from '#authentication/tokens/access-tokens.ts';
import type { Reader, Schema } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paged } from '#database/page.ts';
import { escapeLike, like } from '#database/search/substring-search.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** What a list of tokens is narrowed to. */
export interface TokenFilter {
  readonly revoked?: boolean | null | undefined;
  readonly state?: 'active' | 'inactive' | null | undefined;
  readonly created_before?: string | null | undefined;
  readonly created_after?: string | null | undefined;
  readonly last_used_before?: string | null | undefined;
  readonly last_used_after?: string | null | undefined;
  readonly expires_before?: string | null | undefined;
  readonly expires_after?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly sort?: string | null | undefined;
}

type Tokens = SelectQueryBuilder<Schema, 'access_tokens', AccessToken>;

const SORTED_BY: Readonly<Record<string, 'created_at' | 'expires_at' | 'last_used_at' | 'name_key'>> = {
  created: 'created_at',
  expires: 'expires_at',
  last_used: 'last_used_at',
  name: 'name_key',
};

/** One page of the tokens of a user, or with null of everybody; those with which others act as the user where they are asked for. */
export function listTokens(
  db: Reader,
  { userId, impersonation }: { readonly userId: number | null; readonly impersonation: boolean },
  filter: TokenFilter,
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  // index: access_tokens_by_user, access_tokens primary key
  const tokens = impersonation ? allTokens(db) : ownTokens(db);
  return pageOfTokens(db, userId === null ? tokens : tokens.where('user_id', '=', userId), filter, page);
}

function allTokens(db: Reader): Tokens {
  return db.selectFrom('access_tokens').select(tokenColumns);
}

/** Tokens that are nobody's impersonation. */
export function ownTokens(db: Reader): Tokens {
  return allTokens(db).where('impersonation', '=', false);
}

/** One page of what the filter leaves of these tokens, in its order. */
export function pageOfTokens(
  db: Reader,
  tokens: Tokens,
  filter: TokenFilter,
  page: OffsetRequest,
): Promise<Page<AccessToken>> {
  return paged(db, sorted(narrowed(db, tokens, filter), filter.sort), page);
}

function narrowed(db: Reader, query: Tokens, filter: TokenFilter): Tokens {
  const { revoked, state, search } = filter;
  let tokens = query;
  if (typeof revoked === 'boolean') tokens = tokens.where('revoked', '=', revoked);
  if (state === 'active') tokens = tokens.where(activeTokens(db.today));
  if (state === 'inactive') tokens = tokens.where((eb) => eb.not(activeTokens(db.today)));
  if (filter.created_before) tokens = tokens.where('created_at', '<=', filter.created_before);
  if (filter.created_after) tokens = tokens.where('created_at', '>=', filter.created_after);
  if (filter.last_used_before) tokens = tokens.where('last_used_at', '<=', filter.last_used_before);
  if (filter.last_used_after) tokens = tokens.where('last_used_at', '>=', filter.last_used_after);
  if (filter.expires_before) tokens = tokens.where('expires_at', '<', filter.expires_before);
  if (filter.expires_after) tokens = tokens.where('expires_at', '>=', filter.expires_after);
  if (search) tokens = tokens.where((eb) => like(eb.ref('name_key'), `%${escapeLike(foldCase(search))}%`));
  return tokens;
}

/** `created_asc`, `name_desc`...; unknown words mean nothing. Tokens without the date come last. */
function sorted(query: Tokens, sort: string | null | undefined): Tokens {
  const [, key = '', word = 'asc'] = /^(.+)_(asc|desc)$/.exec(sort ?? '') ?? [];
  const column = Object.hasOwn(SORTED_BY, key) ? SORTED_BY[key] : undefined;
  if (column === undefined) return query.orderBy('access_tokens.id', 'asc');
  const direction = word as 'asc' | 'desc';
  const absent = sql`case when ${sql.ref(column)} is null then 1 else 0 end`;
  return query.orderBy(absent).orderBy(column, direction).orderBy('access_tokens.id', direction);
}
