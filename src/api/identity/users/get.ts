import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import type { User } from '#authentication/users/users.ts';
import type { Database, Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { beyondOffset } from '#http/lists/offset-limit.ts';
import type { Page } from '#http/lists/page.ts';
import type { PageRequest } from '#http/lists/pagination.ts';
import { applicationLimit } from '#rate-limits/application-limit.ts';
import type { Failure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { type Filters, identityOf } from './parameters.ts';
import { listUsers } from './store.ts';

/** One page of the users whom the caller looks for. */
export async function findUsers(
  db: Reader,
  caller: Caller,
  filters: Filters,
  page: PageRequest,
): Promise<Page<User> | Failure<'offsetTooFar'>> {
  const everything = isAdministrator(caller);
  return (
    (await beyondOffset(db, page)) ?? listUsers(db, { ...filters, identity: identityOf(filters), everything }, page)
  );
}

const PERIOD_SECONDS = 600;

/** Refuses a caller who looks up users one by one too often. */
export async function limitReading(database: Database, { user }: SignedInCaller): Promise<Failure<'tooMany'> | null> {
  if (user.admin) return null;
  const settings = await readSettings(database.reader);
  const spared = settings.users_get_by_id_limit_allowlist.map(foldCase);
  if (spared.includes(foldCase(user.username))) return null;
  const limit = settings.users_get_by_id_limit;
  return applicationLimit(database, {
    name: 'users_get_by_id',
    subject: user.id,
    limit,
    periodSeconds: PERIOD_SECONDS,
  });
}
