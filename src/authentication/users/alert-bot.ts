import type { Reader } from '#database/database.ts';
import { prepare } from '#database/prepare.ts';

// index: users_by_username_key
const alertBot = prepare((db) => db.selectFrom('users').select('id').where('username_key', '=', 'alert-bot'));

/** The internal user who writes what is said of alerts by nobody else (contract/monitoring.md §4). */
export async function alertBotId(db: Reader): Promise<number> {
  const user = await alertBot.first(db, {});
  if (user === undefined) throw new Error('There is no user alert-bot: the first start makes it');
  return user.id;
}
