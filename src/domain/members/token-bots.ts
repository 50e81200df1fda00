import type { Reader, Transaction } from '#database/database.ts';
import type { SourceType, TokenBotsTable } from '#database/tables/domain.ts';

/**
 * Bots of project and group tokens (contract/conventions.md §10): users who are members of one project or group, and
 * never of another.
 */

/** index: token_bots primary key */
export async function isTokenBot(db: Reader, userId: number): Promise<boolean> {
  const bot = await db.selectFrom('token_bots').select('user_id').where('user_id', '=', userId).executeTakeFirst();
  return bot !== undefined;
}

/** Makes a user a bot for good. Its membership of this source is there already, and stays as long as the bot. */
export async function insertTokenBot(tx: Transaction, bot: TokenBotsTable): Promise<void> {
  await tx.insertInto('token_bots').values(bot).execute();
}

/** The user ids of the bots of a project or group, as a query. index: token_bots_by_source */
export function tokenBotsOf(db: Reader, { type, id }: { readonly type: SourceType; readonly id: number }) {
  return db
    .selectFrom('token_bots')
    .select('token_bots.user_id')
    .where('token_bots.source_type', '=', type)
    .where('token_bots.source_id', '=', id);
}
