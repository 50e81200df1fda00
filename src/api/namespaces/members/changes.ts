import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import {
  createMembership,
  endMembership,
  findInheritedMembership,
  findMembership,
  hasOtherOwner,
  listExpiredMemberships,
  listMembershipsBelow,
  type Membership,
  sourceExists,
  updateMembership,
} from '#domain/members/memberships.ts';
import { getRoleName, OWNER, ROLES } from '#domain/members/roles.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import { toUniqueFailure, type UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { isMemberAboveCaller } from './access.ts';
import {
  recordMemberAdded,
  recordMemberExpired,
  recordMemberJoined,
  recordMemberRemoved,
  recordMemberUpdated,
} from './activity.ts';
import type { FailedAdditions, MemberRow } from './entities.ts';
import { toMemberRow } from './store.ts';

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

/** Unique index -> failure, for a concurrent request that adds the same user. */
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

/** Runs `add`. Returns the failure `exists` if a concurrent request has added the same user. */
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

/** Returns why a user was not added, for the response to adding several users. */
function describeFailure({ code, values }: Failure<AddFailure>): string {
  if (code === 'exists') return 'Member already exists';
  if (code === 'unknownUser') return 'User not found';
  const errors = Object.entries((values.errors ?? {}) as Record<string, string[]>);
  return errors.flatMap(([field, texts]) => texts.map((text) => `${FIELD_LABELS[field] ?? field} ${text}`)).join(', ');
}

/** A member from another server. The access level may be one that Hearth does not have. */
interface ImportMemberInput {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/**
 * Adds a member from another server, with at most the importing user's level and without an activity event
 * (contract/operations.md §1.4 "Users"). Returns null for the importing user, expired memberships, existing members,
 * and users with the same inherited level.
 */
export async function importMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { userId, accessLevel: requestedLevel, expiresAt }: ImportMemberInput,
): Promise<Membership | null> {
  const accessLevel = ROLES.findLast((role) => role <= Math.min(requestedLevel, parent.role));
  const user = await findUserById(uow, userId);
  if (accessLevel === undefined || user === null || userId === uow.actor.user.id) return null;
  if (expiresAt !== null && expiresAt <= uow.today) return null;
  if ((await findMembership(uow, parent, userId)) !== null) return null;
  const inheritedMembership = await findInheritedMembership(uow, parent, userId);
  if (inheritedMembership !== null && inheritedMembership.access_level >= accessLevel) return null;
  const createdById = uow.actor.user.id;
  const membership = await createMembership(uow, parent, { userId, accessLevel, expiresAt, createdById });
  if (membership !== null)
    await recordMemberAdded(uow, { membership, full_path: parent.full_path, user_name: user.name });
  return membership;
}

interface UpdateMemberInput {
  readonly accessLevel: number;
  /** Undefined keeps the expiry date; null removes it. */
  readonly expiresAt: string | null | undefined;
}

/**
 * Updates the level or expiry date of a direct member. Token bots cannot be changed. Concurrent requests cannot demote
 * the last Owner.
 */
export async function updateMember(
  uow: UnitOfWork,
  parent: Parent,
  userId: number,
  { accessLevel, expiresAt }: UpdateMemberInput,
): Promise<MemberRow | Failure<'notFound' | 'forbidden' | 'invalid'>> {
  const before = await findMembership(uow, parent, userId);
  if (before === null) return fail('notFound');
  if (before.access_level > parent.role || isLevelAboveCaller(parent, accessLevel)) return fail('forbidden');
  if (await isTokenBot(uow, userId)) return fail('forbidden');
  const input = { userId, accessLevel, expiresAt: expiresAt === undefined ? before.expires_at : expiresAt };
  // An unchanged expiry date in the past is not an error.
  const checkedInput = input.expiresAt === before.expires_at ? { ...input, expiresAt: null } : input;
  const errors = await validateMembership(uow, parent, checkedInput);
  if (errors !== null) return invalid(errors);
  if (accessLevel < OWNER && (await mustStayOwner(uow, parent, before))) return fail('forbidden');
  const membership = await updateMembership(uow, before.id, { access_level: accessLevel, expires_at: input.expiresAt });
  const user_name = (await findUserById(uow, userId))?.name ?? '';
  await recordMemberUpdated(uow, { membership, full_path: parent.full_path, user_name }, before);
  return toMemberRow(uow, membership);
}

/** Number of expired memberships that one query returns. */
const BATCH_SIZE = 100;

/** Ends expired memberships, which grant no access already, and records their end. */
export const expireMembers = defineJob({
  kind: 'expire_members',
  async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>) {
    for (;;) {
      const expiredMemberships = await listExpiredMemberships(database.reader, BATCH_SIZE);
      for (const membership of expiredMemberships) await runUnitOfWork(ANONYMOUS, (uow) => expire(uow, membership));
      if (expiredMemberships.length < BATCH_SIZE) return;
    }
  },
});

/** Runs shortly after midnight (UTC), when memberships expire. */
export const expireMembersDaily: Schedule<Services> = { name: 'expire_members', cron: '5 0 * * *', job: expireMembers };

/** Ends a membership if it has expired. */
async function expire(uow: UnitOfWork, { source_type, source_id, user_id }: Membership): Promise<void> {
  const membership = await findMembership(uow, { type: source_type, id: source_id }, user_id);
  // The expiry date may have changed since the job listed the membership.
  if (membership?.expires_at == null || membership.expires_at > uow.today) return;
  const user_name = (await findUserById(uow, user_id))?.name ?? '';
  await recordMemberExpired(uow, { membership, full_path: await findFullPath(uow, membership), user_name });
  await endMembership(uow, membership);
}

/** Returns the full path of the group or project, or '' if it no longer exists. index: routes_by_namespace, routes_by_project */
async function findFullPath(db: Reader, { source_type, source_id }: Membership): Promise<string> {
  const column = source_type === 'group' ? 'namespace_id' : 'project_id';
  const route = await db.selectFrom('routes').select('full_path').where(column, '=', source_id).executeTakeFirst();
  return route?.full_path ?? '';
}

interface RemoveMemberOptions {
  /** Keeps the user's direct memberships of groups and projects below a group. */
  readonly skipSubresources: boolean;
  /** Also unassigns the user from issues and merge requests. */
  readonly unassign: boolean;
}

/**
 * Removes a direct membership, and for groups those below. The last Owner and token bots cannot be removed, even by
 * concurrent requests.
 */
export async function removeMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  userId: number,
  { skipSubresources, unassign }: RemoveMemberOptions,
): Promise<undefined | Failure<'notFound' | 'forbidden'>> {
  const directMembership = await findMembership(uow, parent, userId);
  if (directMembership === null) return fail('notFound');
  if (isMemberAboveCaller(parent, uow.actor.user.id, directMembership)) return fail('forbidden');
  if (await isTokenBot(uow, userId)) return fail('forbidden');
  if (await mustStayOwner(uow, parent, directMembership)) return fail('forbidden');
  const user_name = (await findUserById(uow, userId))?.name ?? '';
  const membershipsBelow =
    parent.type === 'group' && !skipSubresources ? await listMembershipsBelow(uow, parent.id, userId) : [];
  for (const membership of [{ ...directMembership, full_path: parent.full_path }, ...membershipsBelow]) {
    await recordMemberRemoved(uow, { membership, full_path: membership.full_path, user_name });
    await endMembership(uow, membership, { unassign });
  }
}

/** The values of a membership that are validated (contract/planning.md §3.4 "Errors"). */
interface MembershipInput {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/** Returns the errors of a membership: unknown level, level below the inherited one, or expiry date in the past. */
async function validateMembership(db: Reader, parent: Parent, input: MembershipInput): Promise<FieldErrors | null> {
  return compactFieldErrors({
    access_level: await validateLevel(db, parent, input),
    expires_at: input.expiresAt !== null && input.expiresAt < db.today ? ['cannot be a date in the past'] : [],
  });
}

/** Returns the error of a role that does not exist or is below the inherited one. */
async function validateLevel(db: Reader, parent: Parent, { userId, accessLevel }: MembershipInput): Promise<string[]> {
  if (!ROLES.includes(accessLevel)) return ['is not included in the list'];
  const inheritedMembership = await findInheritedMembership(db, parent, userId);
  if (inheritedMembership === null || accessLevel >= inheritedMembership.access_level) return [];
  const role = getRoleName(inheritedMembership.access_level);
  return [
    `should be greater than or equal to ${role} inherited membership from group ${inheritedMembership.group_name}`,
  ];
}

/** Returns whether the level is above the caller's own role. Returns false for unknown levels, which `validateMembership` rejects. */
function isLevelAboveCaller({ role }: Parent, level: number): boolean {
  return ROLES.includes(level) && level > role;
}

/**
 * Returns whether this user must stay Owner: as the last Owner of a top-level group, or as the owner of the
 * project's personal namespace.
 */
async function mustStayOwner(
  db: Reader,
  { id, namespaceId, group, project }: Parent,
  membership: Membership,
): Promise<boolean> {
  if (membership.access_level !== OWNER) return false;
  if (project?.namespace_kind === 'user') return (await findNamespaceOwnerId(db, namespaceId)) === membership.user_id;
  return group?.parent_id === null && !(await hasOtherOwner(db, id, membership.user_id));
}

/** Returns the owner of a personal namespace, or null. index: namespaces primary key */
async function findNamespaceOwnerId(db: Reader, id: number): Promise<number | null> {
  const row = await db.selectFrom('namespaces').select('owner_id').where('id', '=', id).executeTakeFirst();
  return row?.owner_id ?? null;
}
