import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import type { User } from '#authentication/users/users.ts';
import type { Database, Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { checkOffsetLimit, type ListPage, type PageRequest } from '#http/lists/pagination.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import type { Failure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { toIdentity, type UserListParams } from './parameters.ts';
import { listUsers } from './store.ts';

/** Returns one page of the users that match the filters. */
export async function listVisibleUsers(
  db: Reader,
  caller: Caller,
  filters: UserListParams,
  page: PageRequest,
): Promise<ListPage<User> | Failure<'offsetTooFar'>> {
  const forAdministrator = isAdministrator(caller);
  return (
    (await checkOffsetLimit(db, page)) ??
    listUsers(db, { ...filters, identity: toIdentity(filters), forAdministrator }, page)
  );
}

const PERIOD_SECONDS = 600;

/** Checks the rate limit of reading single users. Administrators and users in the allowlist are exempt. */
export async function checkReadLimit(database: Database, { user }: SignedInCaller): Promise<Failure<'tooMany'> | null> {
  if (user.admin) return null;
  const settings = await loadSettings(database.reader);
  const exemptUsernames = settings.users_get_by_id_limit_allowlist.map(foldCase);
  if (exemptUsernames.includes(foldCase(user.username))) return null;
  const limit = settings.users_get_by_id_limit;
  return checkApplicationLimit(database, {
    name: 'users_get_by_id',
    subject: user.id,
    limit,
    periodSeconds: PERIOD_SECONDS,
  });
}
