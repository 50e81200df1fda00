import type { Database, Reader } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { isAdministrator, type SignedIn } from '../../../identity/caller.ts';
import { readUser, readUserUntilGone, type User } from '../../../identity/users.ts';
import { applicationLimit } from '../../../limits/application-limit.ts';
import { type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { userAdmin, userAdminDetail, userExtended, userHidden, userSelf } from './entities.ts';
import { highestRole, withFacts } from './store.ts';

const PERIOD_SECONDS = 600;

/** Refuses a caller who looks up users one by one too often. */
export async function limitReading(database: Database, { user }: SignedIn): Promise<Refused<'tooMany'> | null> {
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

/** A user in the form that the caller may see. */
export async function profileFor(
  db: Reader,
  id: number,
  caller: SignedIn,
  base: Base,
): Promise<object | Refused<'notFound'>> {
  const user = await readUserUntilGone(db, id);
  if (user === null) return refused('notFound');
  if (isAdministrator(caller)) return detail(db, user, base);
  const [shown] = mayRead(caller, user) ? userExtended([user], base) : userHidden([user], base);
  return shown as object;
}

async function detail(db: Reader, user: User, base: Base): Promise<object> {
  const [known] = await withFacts(db, [user]);
  const highest_role = await highestRole(db, user.id, base.now.slice(0, 10));
  const [shown] = userAdminDetail(known ? [{ ...known, highest_role }] : [], base);
  return shown as object;
}

const SHUT_OUT: readonly User['state'][] = ['blocked', 'ldap_blocked', 'banned'];

/** May the caller see this user's profile? */
function mayRead(caller: SignedIn, user: User): boolean {
  return caller.user.id === user.id || !(user.private_profile || SHUT_OUT.includes(user.state));
}

/** The caller's own user; administrators see their own as any other. */
export async function ownProfile(db: Reader, caller: SignedIn, base: Base): Promise<object> {
  const user = await readUser(db, caller.user.id);
  const known = await withFacts(db, user ? [user] : []);
  const [shown] = isAdministrator(caller) ? userAdmin(known, base) : userSelf(known, base);
  return shown as object;
}
