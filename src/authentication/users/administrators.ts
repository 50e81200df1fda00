import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import type { User } from './users.ts';

/** Returns whether this user is the only active administrator. */
export async function isOnlyAdministrator(
  db: Reader,
  { id, admin, state }: Pick<User, 'id' | 'admin' | 'state'>,
): Promise<boolean> {
  if (!admin || state !== 'active') return false;
  // index: users_administrators
  const otherAdministrators = db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', sql.lit(true))
    .where('state', '=', 'active')
    .where('id', '<>', id);
  return !(await hasRow(otherAdministrators.orderBy('users.id')));
}
