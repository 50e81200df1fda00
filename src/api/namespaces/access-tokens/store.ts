import { paginateTokens, selectOwnTokens, type TokenFilter } from '#api/identity/personal-access-tokens/index.ts';
import { type AccessToken, tokenColumns } from '#authentication/tokens/access-tokens.ts';
import type { Columns, Reader } from '#database/database.ts';
import type { Page } from '#database/page.ts';
import type { MemberSource } from '#domain/members/memberships.ts';
import { selectTokenBotIds } from '#domain/members/token-bots.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** A bot's token with the bot's role in its project or group. */
export interface BotToken extends AccessToken, Columns<'memberships', 'access_level' | 'source_type' | 'source_id'> {}

/** A bot's token with the bot's name. */
export interface NamedBotToken extends BotToken {
  readonly bot_name: string;
}

/** The project or group of the bots. */
type Source = Pick<MemberSource, 'type' | 'id'>;

/** Returns one page of the tokens of all bots of a project or group. index: token_bots_by_source, access_tokens_by_user */
export async function listBotTokens(
  db: Reader,
  source: Source,
  filter: TokenFilter,
  page: OffsetRequest,
): Promise<Page<BotToken>> {
  const tokens = selectOwnTokens(db).where('user_id', 'in', selectTokenBotIds(db, source));
  const result = await paginateTokens(db, tokens, filter, page);
  const accessLevelsByBotId = await findAccessLevels(db, source, result.items);
  const { type: source_type, id: source_id } = source;
  // A bot that was deleted between the two queries has no role any more, so its tokens are left out.
  const items = result.items.flatMap((token) => {
    const access_level = accessLevelsByBotId.get(token.user_id);
    return access_level === undefined ? [] : [{ ...token, access_level, source_type, source_id }];
  });
  return { ...result, items };
}

/** Returns the roles of the tokens' bots in the project or group, by user id of the bot. index: memberships_by_source */
async function findAccessLevels(db: Reader, { type, id }: Source, tokens: readonly AccessToken[]) {
  const botIds = [...new Set(tokens.map(({ user_id }) => user_id))];
  if (botIds.length === 0) return new Map<number, number>();
  const rows = await db
    .selectFrom('memberships')
    .select(['user_id', 'access_level'])
    .where('source_type', '=', type)
    .where('source_id', '=', id)
    .where('user_id', 'in', botIds)
    .execute();
  return new Map(rows.map(({ user_id, access_level }) => [user_id, access_level]));
}

/**
 * Returns the token with this id if it belongs to a bot of the project or group, or null.
 * index: access_tokens primary key, token_bots primary key, memberships_by_source
 */
export async function findBotToken(
  db: Reader,
  { type, id: sourceId }: Source,
  id: number,
): Promise<NamedBotToken | null> {
  const token = await db
    .selectFrom('access_tokens')
    .innerJoin('token_bots', 'token_bots.user_id', 'access_tokens.user_id')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'token_bots.user_id')
        .onRef('memberships.source_type', '=', 'token_bots.source_type')
        .onRef('memberships.source_id', '=', 'token_bots.source_id'),
    )
    .select(tokenColumns)
    .select(['memberships.access_level', 'memberships.source_type', 'memberships.source_id', 'users.name as bot_name'])
    .where('access_tokens.id', '=', id)
    .where('access_tokens.impersonation', '=', false)
    .where('token_bots.source_type', '=', type)
    .where('token_bots.source_id', '=', sourceId)
    .executeTakeFirst();
  return token ?? null;
}
