import type { SignedInCaller } from '#authentication/caller.ts';
import { findUser, readUser, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { addMembership, findMembership, stands } from '#domain/members/memberships.ts';
import { failureOfUniqueIndex, type UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { recordJoined } from './activity.ts';
import type { MemberRow, NotAdded } from './entities.ts';
import { withUser } from './store.ts';
import { isAboveCaller, problemsWith } from './validation.ts';

/** A user by id, or by username in any case. */
export type Named = number | string;

interface NewMember {
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

type AddFailure = 'gone' | 'unknownUser' | 'exists' | 'forbidden' | 'invalid';

/** Makes one user a direct member. */
export async function addMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  named: Named,
  { accessLevel, expiresAt }: NewMember,
): Promise<MemberRow | Failure<AddFailure>> {
  const user = await findOne(uow, named);
  if (user === null) return fail('unknownUser');
  if (!(await stands(uow, parent))) return fail('gone');
  if (isAboveCaller(parent, accessLevel)) return fail('forbidden');
  if ((await findMembership(uow, parent, user.id)) !== null) return fail('exists');
  const errors = await problemsWith(uow, parent, { userId: user.id, accessLevel, expiresAt });
  if (errors !== null) return invalid(errors);
  const createdById = uow.actor.user.id;
  const membership = await addMembership(uow, parent, { userId: user.id, accessLevel, expiresAt, createdById });
  if (membership === null) return invalid({ user_id: ['project bots cannot be added to other groups / projects'] });
  await recordJoined(uow, { membership, full_path: parent.full_path, user_name: user.name });
  return withUser(uow, membership);
}

/** Unique index -> how whoever loses a race to it is refused. */
export const TAKEN = { memberships_by_source: 'exists' } as const;

/** Adds those who can be added, each by an act of its own, and tells of the others. */
export async function addMembers(
  add: (named: Named) => Promise<MemberRow | Failure<AddFailure>>,
  parent: Parent,
  users: readonly Named[],
  wish: NewMember,
  db: Reader,
): Promise<NotAdded | Failure<'gone' | 'forbidden'>> {
  if (isAboveCaller(parent, wish.accessLevel)) return fail('forbidden');
  const reasons: Record<string, string> = {};
  for (const named of users) {
    const added = await orTaken(() => add(named));
    if (isFailure(added) && added.code === 'gone') return fail('gone');
    if (isFailure(added)) reasons[await nameOf(db, named)] = reasonOf(added);
  }
  return { reasons };
}

async function orTaken<Added>(add: () => Promise<Added>): Promise<Added | Failure<'exists'>> {
  try {
    return await add();
  } catch (error) {
    const taken = failureOfUniqueIndex<'exists'>(error, TAKEN);
    if (taken === undefined) throw error;
    return taken;
  }
}

async function findOne(db: Reader, named: Named): Promise<User | null> {
  const user = typeof named === 'number' ? await readUser(db, named) : await findUser(db, named);
  return user === null || user.internal ? null : user;
}

async function nameOf(db: Reader, named: Named): Promise<string> {
  return (await findOne(db, named))?.username ?? String(named);
}

/** The fields of a membership as they stand in the sentences about them. */
const FIELDS: Readonly<Record<string, string>> = {
  access_level: 'Access level',
  expires_at: 'Expires at',
  user_id: 'User',
};

function reasonOf({ code, values }: Failure<AddFailure>): string {
  if (code === 'exists') return 'Member already exists';
  if (code === 'unknownUser') return 'User not found';
  const errors = Object.entries((values.errors ?? {}) as Record<string, string[]>);
  return errors.flatMap(([field, texts]) => texts.map((text) => `${FIELDS[field] ?? field} ${text}`)).join(', ');
}
