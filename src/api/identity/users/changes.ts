import { type AuditEvent, describeChange } from '#activity/index.ts';
import { type PasswordOwner, validatePassword } from '#authentication/users/password-rules.ts';
import {
  type CreateUserInput,
  findChangeableUser,
  findUserById,
  createUser as insertUser,
  isOnlyAdministrator,
  type UnchangeableUserCode,
  type UpdateUserInput,
  USER_UNIQUE_ERRORS,
  type User,
  type UserFailure,
  updateUser as updateStoredUser,
} from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { createPersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { moveNamespaceRoutes } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { loadSettings } from '#settings/settings.ts';
import { enqueueEmailConfirmation } from './email-confirmation-mail.ts';

/** The input of an administrator for a new user. */
export interface NewUserInput
  extends Pick<CreateUserInput, 'username' | 'name' | 'email' | 'confirmed' | 'identity' | 'details'> {
  /** Password; null: a random password that nobody knows. */
  readonly password: string | null;
  /** Whether the user gets a link that sets a password. */
  readonly hasPasswordLink?: boolean;
}

/** Unique index -> failure of `createUser` and `updateUser`, for concurrent requests. */
export const SAVE_UNIQUE_ERRORS = { ...USER_UNIQUE_ERRORS, routes_by_full_path: 'pathTaken' } as const;

/** Prepares the password of a new user, for `createUser`. */
export async function prepareInitialPassword(db: Reader, input: NewUserInput): Promise<PreparedPassword> {
  return input.password === null ? { hash: null, problems: [] } : preparePassword(db, input.password, input);
}

/** Creates a user with a personal namespace. Omitted attributes have the defaults of the instance. */
export async function createUser(
  uow: UnitOfWork,
  { username, name, email, confirmed, identity, details, hasPasswordLink }: NewUserInput,
  password: PreparedPassword,
): Promise<User | Failure<UserFailure>> {
  const settings = await loadSettings(uow);
  const user = await insertUser(uow, {
    username,
    name,
    email,
    confirmed,
    identity,
    passwordHash: password.hash,
    passwordProblems: password.problems,
    createdById: uow.actor.user?.id ?? null,
    details: {
      projects_limit: settings.default_projects_limit,
      can_create_group: settings.can_create_group,
      external: settings.user_default_external,
      private_profile: settings.user_defaults_to_private_profile,
      ...details,
    },
  });
  if (isFailure(user)) return user;
  await createPersonalNamespace(uow, user);
  // A link that sets the password confirms the address too.
  if (!confirmed && !hasPasswordLink) await enqueueEmailConfirmation(uow, { userId: user.id, address: user.email });
  const message = `User ${user.username} created`;
  await recordUserEvent(uow, user, { name: 'user_created', targetDetails: user.username, message });
  return user;
}

/** The attributes that an administrator may update; undefined ones stay unchanged. */
export interface UserUpdateInput extends Pick<UpdateUserInput, 'username' | 'name' | 'email' | 'identity' | 'details'> {
  readonly password?: string | undefined;
  /** Digest of a session that continues after the password changes. */
  readonly keptSession?: string | undefined;
  /** Whether to reset `private_profile` to the default of the instance. */
  readonly resetPrivateProfile: boolean;
}

/** Prepares the new password, for `updateUser`; null if it stays unchanged or the user does not exist. */
export async function prepareNewPassword(
  db: Reader,
  id: number,
  { password, name, username, email }: UserUpdateInput,
): Promise<PreparedPassword | null> {
  const user = password === undefined ? null : await findUserById(db, id);
  if (password === undefined || user === null) return null;
  return preparePassword(db, password, {
    name: name ?? user.name,
    username: username ?? user.username,
    email: email?.address ?? user.email,
  });
}

/**
 * Updates a user, renames the personal namespace accordingly, and records audit events. Takes the password from
 * `prepareNewPassword` and ignores the plain one in the input.
 */
export async function updateUser(
  uow: UnitOfWork,
  id: number,
  { password: _, keptSession, resetPrivateProfile, ...input }: UserUpdateInput,
  password: PreparedPassword | null,
): Promise<User | Failure<UserFailure | UnchangeableUserCode | 'onlyAdministrator'>> {
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  if (input.details?.admin === false && (await isOnlyAdministrator(uow, user))) return fail('onlyAdministrator');
  const hash = password?.hash ?? null;
  // A password set by somebody else expires immediately, so that the user must choose another one.
  const newPassword = hash === null ? undefined : { hash, expired: uow.actor.user?.id !== id, keptSession };
  const details = resetPrivateProfile
    ? { ...input.details, private_profile: (await loadSettings(uow)).user_defaults_to_private_profile }
    : input.details;
  const storedChanges = { ...input, details, password: newPassword, passwordProblems: password?.problems };
  const updatedUser = await updateStoredUser(uow, user, storedChanges);
  if (isFailure(updatedUser)) return updatedUser;
  const { unconfirmed_email: newAddress } = updatedUser;
  if (newAddress !== null && newAddress !== user.unconfirmed_email)
    await enqueueEmailConfirmation(uow, { userId: id, address: newAddress });
  await renamePersonalNamespace(uow, user, updatedUser);
  await recordChanges(uow, user, updatedUser);
  if (newPassword) {
    await recordUserEvent(uow, updatedUser, {
      name: 'user_password_updated',
      targetDetails: updatedUser.name,
      ...describeChange('password'),
    });
  }
  return updatedUser;
}

/** Gives the personal namespace the user's new username and name, and updates the routes below it. */
async function renamePersonalNamespace(
  uow: UnitOfWork,
  before: User,
  { id, username: path, name }: User,
): Promise<void> {
  if (before.username === path && before.name === name) return;
  // index: namespaces_by_owner
  const namespace = await uow
    .updateTable('namespaces')
    .set({ path, name, name_key: foldCase(name), updated_at: uow.now })
    .where('owner_id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (namespace === undefined) return;
  await moveNamespaceRoutes(uow, namespace.id, { full_path: path, full_name: name }, ({ project_id, old_path }) =>
    uow.publish('project-moved', { projectId: project_id, oldPaths: [old_path] }),
  );
}

/** Columns whose changes are recorded: the column, the name of the audit event, and the attribute's name in it. */
const AUDITED_FIELDS = [
  ['email', 'user_email_address_updated', 'email address'],
  ['username', 'user_username_updated', 'username'],
  ['name', 'user_name_updated', 'name'],
  ['admin', 'user_admin_status_updated', 'admin status'],
] as const;

/** Records one audit event for each changed column. */
async function recordChanges(uow: UnitOfWork, before: User, after: User): Promise<void> {
  for (const [field, eventName, attributeName] of AUDITED_FIELDS) {
    if (before[field] !== after[field]) {
      const auditEvent = {
        name: eventName,
        targetDetails: after.name,
        ...describeChange(attributeName, before[field], after[field]),
      };
      await recordUserEvent(uow, after, auditEvent);
    }
  }
}

/** A hashed password, or its validation errors, which are reported together with the errors of other fields. */
interface PreparedPassword {
  readonly hash: string | null;
  readonly problems: readonly string[];
}

/**
 * Validates and hashes a password. This happens before the unit of work that stores it, because hashing takes longer than a
 * transaction may.
 */
async function preparePassword(db: Reader, password: string, owner: PasswordOwner): Promise<PreparedPassword> {
  const { minimum_password_length } = await loadSettings(db);
  const problems = validatePassword(password, owner, minimum_password_length);
  return { hash: problems.length > 0 ? null : await hashPassword(password), problems };
}

/** An audit event about a user. `targetDetails` is described in contract/activity.md Part 3. */
interface UserEvent extends Pick<AuditEvent, 'name' | 'message' | 'details'> {
  readonly targetDetails: string;
}

/** Records an audit event about a user. */
export function recordUserEvent(
  uow: UnitOfWork,
  { id, username }: Pick<User, 'id' | 'username'>,
  { targetDetails, ...event }: UserEvent,
): Promise<void> {
  const entity = { type: 'User', id, path: username } as const;
  return uow.record({ ...event, entity, target: { type: 'User', id, details: targetDetails } });
}
