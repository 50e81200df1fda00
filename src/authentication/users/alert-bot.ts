import type { Reader } from '#database/database.ts';
import { prepare } from '#database/prepare.ts';

// index: users_by_username_key
const alertBot = prepare((db) => db.selectFrom('users').select('id').where('username_key', '=', 'alert-bot'));

/** Returns the id of the internal user who is the author of automatic alert notes (contract/monitoring.md §4). */
export async function getAlertBotId(db: Reader): Promise<number> {
  const user = await alertBot.first(db, {});
  if (user === undefined) throw new Error('The user alert-bot is missing: the first start creates it');
  return user.id;
}
