import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { createMembership, findMembership, sourceExists } from '#domain/members/memberships.ts';
import { toUniqueFailure, type UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { recordMemberJoined } from './activity.ts';
import type { FailedAdditions, MemberRow } from './entities.ts';
import { toMemberRow } from './store.ts';
import { isLevelAboveCaller, validateMembership } from './validation.ts';

/** A user id, or a username, compared case-insensitively. */
export type UserReference = number | string;

interface AddMemberInput {
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

type AddFailure = 'notFound' | 'unknownUser' | 'exists' | 'forbidden' | 'invalid';

/** Adds one user as a direct member. */
export async function addMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  reference: UserReference,
  { accessLevel, expiresAt }: AddMemberInput,
): Promise<MemberRow | Failure<AddFailure>> {
  const user = await findReferencedUser(uow, reference);
  if (user === null) return fail('unknownUser');
  if (!(await sourceExists(uow, parent))) return fail('notFound');
  if (isLevelAboveCaller(parent, accessLevel)) return fail('forbidden');
  if ((await findMembership(uow, parent, user.id)) !== null) return fail('exists');
  const errors = await validateMembership(uow, parent, { userId: user.id, accessLevel, expiresAt });
  if (errors !== null) return invalid(errors);
  const createdById = uow.actor.user.id;
  const membership = await createMembership(uow, parent, { userId: user.id, accessLevel, expiresAt, createdById });
  if (membership === null) return invalid({ user_id: ['project bots cannot be added to other groups / projects'] });
  await recordMemberJoined(uow, { membership, full_path: parent.full_path, user_name: user.name });
  return toMemberRow(uow, membership);
}

/** The error for a concurrent addition of the same user. */
export const MEMBER_UNIQUE_ERRORS = { memberships_by_source: 'exists' } as const;

/** Adds several users, each in its own unit of work. Returns the reason for each user who could not be added. */
export async function addMembers(
  add: (user: UserReference) => Promise<MemberRow | Failure<AddFailure>>,
  parent: Parent,
  users: readonly UserReference[],
  input: AddMemberInput,
  db: Reader,
): Promise<FailedAdditions | Failure<'notFound' | 'forbidden'>> {
  if (isLevelAboveCaller(parent, input.accessLevel)) return fail('forbidden');
  const reasons: Record<string, string> = {};
  for (const user of users) {
    const addResult = await addUnlessExists(() => add(user));
    if (isFailure(addResult) && addResult.code === 'notFound') return fail('notFound');
    if (isFailure(addResult)) reasons[await getUsername(db, user)] = describeFailure(addResult);
  }
  return { reasons };
}

/** Adds a member. Converts the unique violation of a concurrent addition into the failure `exists`. */
async function addUnlessExists<Added>(add: () => Promise<Added>): Promise<Added | Failure<'exists'>> {
  try {
    return await add();
  } catch (error) {
    const existsFailure = toUniqueFailure<'exists'>(error, MEMBER_UNIQUE_ERRORS);
    if (existsFailure === undefined) throw error;
    return existsFailure;
  }
}

/** Returns the user, or null if the user is unknown or internal. */
async function findReferencedUser(db: Reader, reference: UserReference): Promise<User | null> {
  const user =
    typeof reference === 'number' ? await findUserById(db, reference) : await findUserByUsername(db, reference);
  return user === null || user.internal ? null : user;
}

/** Returns the username, or the reference itself if there is no such user. */
async function getUsername(db: Reader, user: UserReference): Promise<string> {
  return (await findReferencedUser(db, user))?.username ?? String(user);
}

/** Labels of the fields in error messages. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  access_level: 'Access level',
  expires_at: 'Expires at',
  user_id: 'User',
};

function describeFailure({ code, values }: Failure<AddFailure>): string {
  if (code === 'exists') return 'Member already exists';
  if (code === 'unknownUser') return 'User not found';
  const errors = Object.entries((values.errors ?? {}) as Record<string, string[]>);
  return errors.flatMap(([field, texts]) => texts.map((text) => `${FIELD_LABELS[field] ?? field} ${text}`)).join(', ');
}
