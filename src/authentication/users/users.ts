import { type Insertable, type Selectable, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow } from '#database/page.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';
import { deleteSessionsOfUser } from '../sessions/sessions.ts';
import {
  deleteEmailConfirmation,
  deleteEmailRow,
  insertUserEmail,
  isEmailTaken,
  isValidAddress,
  removeEmailFromUser,
  validateAddress,
} from './emails.ts';
import { validateDisplayName, validateUsername } from './usernames.ts';

/** A user without password and search columns. */
export type User = Omit<
  Selectable<Schema['users']>,
  | 'username_key'
  | 'name_key'
  | 'email_key'
  | 'password_hash'
  | 'password_link_digest'
  | 'password_link_expires_at'
  | 'deletion_scheduled_at'
>;

export const userColumns = [
  'users.id',
  'users.username',
  'users.name',
  'users.email',
  'users.unconfirmed_email',
  'users.confirmed_at',
  'users.state',
  'users.admin',
  'users.auditor',
  'users.external',
  'users.bot',
  'users.internal',
  'users.private_profile',
  'users.can_create_group',
  'users.projects_limit',
  'users.password_expires_at',
  'users.failed_attempts',
  'users.locked_until',
  'users.public_email',
  'users.commit_email',
  'users.notification_email',
  'users.bio',
  'users.location',
  'users.skype',
  'users.linkedin',
  'users.twitter',
  'users.discord',
  'users.website_url',
  'users.github',
  'users.organization',
  'users.job_title',
  'users.pronouns',
  'users.note',
  'users.theme_id',
  'users.color_scheme_id',
  'users.preferred_language',
  'users.sign_in_count',
  'users.current_sign_in_at',
  'users.last_sign_in_at',
  'users.current_sign_in_ip',
  'users.last_sign_in_ip',
  'users.last_activity_on',
  'users.created_by_id',
  'users.created_at',
  'users.updated_at',
] as const;

// index: users primary key
const selectUserById = prepare((db, value: Params<{ id: number }>) => selectUsers(db).where('id', '=', value('id')));

// index: users_by_username_key
const selectUserByUsername = prepare((db, value: Params<{ key: string }>) =>
  selectUsers(db).where('username_key', '=', value('key')),
);

/** Selects users who are not being deleted. */
export function selectUsers(db: Reader) {
  return db.selectFrom('users').select(userColumns).where('deletion_scheduled_at', 'is', null);
}

/** Returns the user with this id; null if it does not exist or is being deleted. */
export async function findUserById(db: Reader, id: number): Promise<User | null> {
  return (await selectUserById.first(db, { id })) ?? null;
}

export type UnchangeableUserCode = 'userNotFound' | 'internalUser';

/** Returns the user with this id. Fails for internal users, who cannot be changed and have no tokens. */
export async function findChangeableUser(db: Reader, id: number): Promise<User | Failure<UnchangeableUserCode>> {
  const user = await findUserById(db, id);
  if (user === null) return fail('userNotFound');
  return user.internal ? fail('internalUser') : user;
}

/** Returns the user with this id, also while being deleted; null once the deletion is complete. */
export async function findUserUntilDeleted(db: Reader, id: number): Promise<User | null> {
  // index: users primary key
  return (await db.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst()) ?? null;
}

// index: users primary key
const selectUsersByIds = prepareForIds<User>((db, ids) =>
  db.selectFrom('users').select(userColumns).where('id', 'in', ids),
);

/** Returns the existing users with these ids, including those being deleted, with one query. */
export function findUsersByIds(db: Reader, ids: readonly number[]): Promise<User[]> {
  return selectUsersByIds(db, ids);
}

/** Returns the caller for work on behalf of a user; `ANONYMOUS` if the id is null or the user is gone. */
export async function loadCaller(db: Reader, id: number | null, address: string | null): Promise<Caller> {
  const user = id === null ? null : await findUserById(db, id);
  return user === null ? ANONYMOUS : { user, token: null, address };
}

/** Returns the user with this username, ignoring case, or null. */
export async function findUserByUsername(db: Reader, username: string): Promise<User | null> {
  return (await selectUserByUsername.first(db, { key: foldCase(username) })) ?? null;
}

/** Optional properties of a new or updated user. */
export type UserDetails = Partial<
  Pick<
    Insertable<Schema['users']>,
    | 'admin'
    | 'auditor'
    | 'external'
    | 'bot'
    | 'private_profile'
    | 'can_create_group'
    | 'projects_limit'
    | 'public_email'
    | 'commit_email'
    | 'bio'
    | 'location'
    | 'skype'
    | 'linkedin'
    | 'twitter'
    | 'discord'
    | 'website_url'
    | 'github'
    | 'organization'
    | 'job_title'
    | 'pronouns'
    | 'note'
    | 'theme_id'
    | 'color_scheme_id'
    | 'preferred_language'
  >
>;

export interface CreateUserInput extends Columns<'users', 'username' | 'name' | 'email'> {
  /** A hash of `hashPassword`; null: no password. */
  readonly passwordHash: string | null;
  /** Whether the address is confirmed. */
  readonly confirmed: boolean;
  readonly createdById?: number | null;
  readonly internal?: boolean;
  readonly identity?: Identity | undefined;
  readonly details?: UserDetails;
  /** Error texts for the password, reported together with the other fields. */
  readonly passwordProblems?: readonly string[] | undefined;
}

/** Account at an external identity provider. */
export interface Identity {
  readonly provider: string;
  readonly externUid: string;
}

/** Failures of `createUser` and `updateUser`. */
export type UserFailure = 'emailTaken' | 'usernameTaken' | 'invalid';

/** Unique index -> failure, for concurrent requests. */
export const USER_UNIQUE_ERRORS = {
  users_by_username_key: 'usernameTaken',
  users_by_email_key: 'emailTaken',
  emails_by_taken_key: 'emailTaken',
  emails_by_user_address: 'emailTaken',
  identities_by_extern_uid: invalid({ 'identities.extern_uid': ['has already been taken'] }),
} as const;

/**
 * Creates a user without a personal namespace. Fails for invalid fields and taken names. Concurrent duplicates throw
 * the unique violations of `USER_UNIQUE_ERRORS`.
 */
export async function createUser(tx: Transaction, user: CreateUserInput): Promise<User | Failure<UserFailure>> {
  if (await isEmailTaken(tx, user.email)) return fail('emailTaken');
  if (await isUsernameTaken(tx, user.username)) return fail('usernameTaken');
  const errors = user.internal ? null : validateUser(user);
  if (errors !== null) return invalid(errors);
  const { id } = await insertUser(tx, user);
  await insertUserEmail(tx, { userId: id, address: user.email, confirmed: user.confirmed, primary: true });
  if (user.identity) await setIdentity(tx, id, user.identity);
  return (await findUserById(tx, id))!;
}

async function insertUser(tx: Transaction, user: CreateUserInput): Promise<{ id: number }> {
  return tx
    .insertInto('users')
    .values({
      projects_limit: 0,
      ...user.details,
      ...toNameColumns(user),
      confirmed_at: user.confirmed ? tx.now : null,
      password_hash: user.passwordHash,
      internal: user.internal ?? false,
      created_by_id: user.createdById ?? null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
}

function toNameColumns({ username, name, email }: Pick<CreateUserInput, 'username' | 'name' | 'email'>) {
  return {
    username,
    username_key: foldCase(username),
    name,
    name_key: foldCase(name),
    email,
    email_key: foldCase(email),
  };
}

/** A hashed password that replaces another one. */
interface NewPassword {
  readonly hash: string;
  /** Whether the user must choose another one first. */
  readonly expired: boolean;
  /** Digest of the session that changes the password: all others end. */
  readonly keptSession?: string | undefined;
}

/** Changes of a user; absent keys stay unchanged. */
export interface UpdateUserInput {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  /** A new primary address, effective immediately with `confirmed`, otherwise after confirmation. */
  readonly email?: { readonly address: string; readonly confirmed: boolean } | undefined;
  readonly password?: NewPassword | undefined;
  readonly identity?: Identity | undefined;
  readonly details?: UserDetails | undefined;
  readonly passwordProblems?: readonly string[] | undefined;
}

/** Updates a user, without moving the personal namespace. */
export async function updateUser(
  tx: Transaction,
  user: User,
  changes: UpdateUserInput,
): Promise<User | Failure<UserFailure>> {
  const { email, username, name } = changes;
  if (email && (await isEmailTaken(tx, email.address, user.id))) return fail('emailTaken');
  if (username !== undefined && (await isUsernameTaken(tx, username, user.id))) return fail('usernameTaken');
  const nameFields = { username: username ?? user.username, name: name ?? user.name, email: user.email };
  const { details = {}, passwordProblems = [] } = changes;
  const errors = validateUser({ ...nameFields, email: email?.address ?? user.email, details, passwordProblems }, user);
  if (errors !== null) return invalid(errors);
  if (email) await updateEmail(tx, user, email);
  await tx
    .updateTable('users')
    .set({
      ...changes.details,
      ...toChangedNameColumns(changes),
      ...toPasswordColumns(tx, changes.password),
      updated_at: tx.now,
    })
    .where('id', '=', user.id)
    .execute();
  // Sessions that started with the old password end.
  if (changes.password) await deleteSessionsOfUser(tx, user.id, changes.password.keptSession);
  if (changes.identity) await setIdentity(tx, user.id, changes.identity);
  return (await findUserById(tx, user.id))!;
}

function toChangedNameColumns({ username, name }: UpdateUserInput) {
  return {
    ...(username === undefined ? {} : { username, username_key: foldCase(username) }),
    ...(name === undefined ? {} : { name, name_key: foldCase(name) }),
  };
}

/** A link that sets a password ends when the password or the address changes. */
const WITHOUT_PASSWORD_LINK = { password_link_digest: null, password_link_expires_at: null } as const;

function toPasswordColumns(tx: Transaction, password: UpdateUserInput['password']) {
  if (!password) return {};
  return {
    password_hash: password.hash,
    password_expires_at: password.expired ? tx.now : null,
    ...WITHOUT_PASSWORD_LINK,
  };
}

async function updateEmail(
  tx: Transaction,
  user: User,
  { address, confirmed }: { readonly address: string; readonly confirmed: boolean },
): Promise<void> {
  if (address === user.email) return;
  if (confirmed) return setPrimaryEmail(tx, user, address);
  if (user.unconfirmed_email !== null) await deleteEmailConfirmation(tx, user.id, user.unconfirmed_email);
  await tx.updateTable('users').set({ unconfirmed_email: address }).where('id', '=', user.id).execute();
}

/** Makes a confirmed address the primary one and removes the old one. */
export async function setPrimaryEmail(tx: Transaction, user: User, address: string): Promise<void> {
  const key = foldCase(address);
  if (key !== foldCase(user.email)) await removeEmailFromUser(tx, user, user.email);
  // The new primary address may be a secondary address of the user already.
  await deleteEmailRow(tx, user.id, address);
  await insertUserEmail(tx, { userId: user.id, address, confirmed: true, primary: true });
  await tx
    .updateTable('users')
    .set({
      email: address,
      email_key: key,
      unconfirmed_email: null,
      confirmed_at: user.confirmed_at ?? tx.now,
      ...WITHOUT_PASSWORD_LINK,
    })
    .where('id', '=', user.id)
    .execute();
}

async function setIdentity(tx: Transaction, userId: number, { provider, externUid }: Identity): Promise<void> {
  await tx
    .insertInto('identities')
    .values({ user_id: userId, provider, extern_uid: externUid })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider']).doUpdateSet({ extern_uid: externUid }))
    .execute();
}

async function isUsernameTaken(db: Reader, username: string, exceptUserId = 0): Promise<boolean> {
  const owner = await findUserByUsername(db, username);
  return owner !== null && owner.id !== exceptUserId;
}

/** Returns the errors in the fields of a user, or null. An unchanged username is not validated again. */
function validateUser(
  user: Pick<CreateUserInput, 'username' | 'name' | 'email' | 'details' | 'passwordProblems'>,
  currentUser?: Pick<User, 'username'>,
): FieldErrors | null {
  const { details = {} } = user;
  return compactFieldErrors({
    email: validateAddress(user.email),
    name: validateDisplayName(user.name),
    username: user.username === currentUser?.username ? [] : validateUsername(user.username),
    password: user.passwordProblems ?? [],
    bio: validateLength(details.bio, 255),
    ...Object.fromEntries(DETAIL_FIELDS.map((field) => [`user_detail.${field}`, validateLength(details[field], 500)])),
    pronouns: validateLength(details.pronouns, 50),
    public_email: validateOptionalAddress(details.public_email),
    commit_email: validateOptionalAddress(details.commit_email),
    projects_limit: validateProjectsLimit(details.projects_limit ?? 0),
    theme_id: validateChoice(details.theme_id, THEME_COUNT, 'theme'),
    color_scheme_id: validateChoice(details.color_scheme_id, COLOR_SCHEME_COUNT, 'color scheme'),
  });
}

/** Profile texts that share one length limit and report errors as `user_detail.<field>`. */
const DETAIL_FIELDS = [
  'organization',
  'location',
  'skype',
  'linkedin',
  'twitter',
  'discord',
  'website_url',
  'github',
] as const;

function validateLength(text: string | null | undefined, max: number): string[] {
  return [...(text ?? '')].length > max ? [`is too long (maximum is ${max} characters)`] : [];
}

function validateOptionalAddress(address: string | null | undefined): string[] {
  return address && !isValidAddress(address) ? ['is invalid'] : [];
}

/** Number of themes and color schemes, with ids from 1. */
const THEME_COUNT = 11;
const COLOR_SCHEME_COUNT = 6;

function validateChoice(id: number | undefined, max: number, kind: string): string[] {
  return id === undefined || (id >= 1 && id <= max) ? [] : [`${id} is not a valid ${kind}`];
}

/** Maximum of a 32-bit integer column. */
const MAX_INTEGER = 2_147_483_647;

function validateProjectsLimit(limit: number): string[] {
  if (limit < 0) return ['must be greater than or equal to 0'];
  return limit > MAX_INTEGER ? [`must be less than or equal to ${MAX_INTEGER}`] : [];
}

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
