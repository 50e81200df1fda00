import type { Reader, Transaction } from '#database/database.ts';
import type { Schema, SourceType } from '#database/schema.ts';

// Bot users of project and group access tokens (contract/conventions.md §10). Each is a member of exactly one project
// or group.

/** Returns whether the user is the bot of a token. index: token_bots primary key */
export async function isTokenBot(db: Reader, userId: number): Promise<boolean> {
  const bot = await db.selectFrom('token_bots').select('user_id').where('user_id', '=', userId).executeTakeFirst();
  return bot !== undefined;
}

/** Marks a user as a token bot. Its membership in the source must exist; it exists as long as the bot. */
export async function insertTokenBot(tx: Transaction, bot: Schema['token_bots']): Promise<void> {
  await tx.insertInto('token_bots').values(bot).execute();
}

/** Selects the user ids of the token bots of a project or group. index: token_bots_by_source */
export function selectTokenBotIds(db: Reader, { type, id }: { readonly type: SourceType; readonly id: number }) {
  return db
    .selectFrom('token_bots')
    .select('token_bots.user_id')
    .where('token_bots.source_type', '=', type)
    .where('token_bots.source_id', '=', id);
}
