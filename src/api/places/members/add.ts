import { addMembership, findMembership, stands } from '../../../access/memberships.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { uniqueViolation } from '../../../database/dialect.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { findUser, readUser, type User } from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import type { MemberRow } from './entities.ts';
import { type Acting, recordJoined } from './history.ts';
import { isAboveCaller, problemsWith } from './rules.ts';
import type { Source } from './source.ts';
import { withUser } from './store.ts';

export interface NewMembers {
  /** Ids, or usernames in any case. */
  readonly users: readonly (number | string)[];
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

export type AddRefusal = 'gone' | 'unknownUser' | 'exists' | 'forbidden' | 'invalid';

type Rooms = { readonly database: Database } & Omit<Acting, 'caller'>;

/** Makes one user a direct member. */
export async function addMember(
  rooms: Rooms,
  caller: SignedIn,
  source: Source,
  { users, accessLevel, expiresAt }: NewMembers,
): Promise<MemberRow | Refused<AddRefusal>> {
  const user = await findOne(rooms.database, users[0]);
  if (user === null) return refused('unknownUser');
  try {
    return await rooms.database.transaction((tx) =>
      add(tx, { ...rooms, caller }, source, user, { accessLevel, expiresAt }),
    );
  } catch (error) {
    if (uniqueViolation(error) === 'memberships_by_source') return refused('exists');
    throw error;
  }
}

/** The name of each user who could not be added, with the reason; the others are members now. */
export async function addMembers(
  rooms: Rooms,
  caller: SignedIn,
  source: Source,
  wish: NewMembers,
): Promise<Record<string, string> | Refused<'gone' | 'forbidden'>> {
  if (isAboveCaller(source, wish.accessLevel)) return refused('forbidden');
  const failed: Record<string, string> = {};
  for (const named of wish.users) {
    const added = await addMember(rooms, caller, source, { ...wish, users: [named] });
    if (isRefused(added) && added.code === 'gone') return refused('gone');
    if (isRefused(added)) failed[await nameOf(rooms.database, named)] = reasonOf(added);
  }
  return failed;
}

async function findOne({ reader }: Database, named: number | string | undefined): Promise<User | null> {
  if (named === undefined) return null;
  const user = typeof named === 'number' ? await readUser(reader, named) : await findUser(reader, named);
  return user === null || user.internal ? null : user;
}

async function nameOf(database: Database, named: number | string): Promise<string> {
  return (await findOne(database, named))?.username ?? String(named);
}

/** The fields of a membership as they stand in the sentences about them. */
const FIELDS: Readonly<Record<string, string>> = { access_level: 'Access level', expires_at: 'Expires at' };

function reasonOf({ code, values }: Refused<AddRefusal>): string {
  if (code === 'exists') return 'Member already exists';
  if (code === 'unknownUser') return 'User not found';
  const errors = Object.entries((values.errors ?? {}) as Record<string, string[]>);
  return errors.flatMap(([field, texts]) => texts.map((text) => `${FIELDS[field] ?? field} ${text}`)).join(', ');
}

async function add(
  tx: Transaction,
  acting: Acting & { readonly caller: SignedIn },
  source: Source,
  user: User,
  { accessLevel, expiresAt }: Pick<NewMembers, 'accessLevel' | 'expiresAt'>,
): Promise<MemberRow | Refused<AddRefusal>> {
  if (!(await stands(tx, source))) return refused('gone');
  if (isAboveCaller(source, accessLevel)) return refused('forbidden');
  if ((await findMembership(tx, source, user.id)) !== null) return refused('exists');
  const errors = await problemsWith(tx, source, { userId: user.id, accessLevel, expiresAt }, tx.now.slice(0, 10));
  if (errors !== null) return refused('invalid', { errors });
  const createdById = acting.caller.user.id;
  const membership = await addMembership(tx, source, { userId: user.id, accessLevel, expiresAt, createdById });
  if (membership === null) return refused('unknownUser');
  await recordJoined(tx, acting, { membership, full_path: source.full_path, user_name: user.name });
  return withUser(tx, membership);
}
