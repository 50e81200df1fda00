import type { Insertable, Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { UsersTable } from '#database/tables/authentication.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { ANONYMOUS, type Caller } from '../caller.ts';
import { endSessionsOf } from '../sessions/sessions.ts';
import { addressProblems, deleteEmailRow, forgetEmail, hasAddressForm, insertEmail, isEmailTaken } from './emails.ts';
import { nameProblems } from './name-validation.ts';
import { usernameProblems } from './usernames.ts';

/** A user's row; the password stays behind. */
export type User = Omit<
  Selectable<UsersTable>,
  'username_key' | 'name_key' | 'email_key' | 'password_hash' | 'deletion_scheduled_at'
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
const userById = prepare((db, value: Params<{ id: number }>) => presentUsers(db).where('id', '=', value('id')));

// index: users_by_username_key
const userByName = prepare((db, value: Params<{ key: string }>) =>
  presentUsers(db).where('username_key', '=', value('key')),
);

/** Everybody but those who are being deleted: nothing can be done with them or for them any more. */
function presentUsers(db: Reader) {
  return db.selectFrom('users').select(userColumns).where('deletion_scheduled_at', 'is', null);
}

export async function readUser(db: Reader, id: number): Promise<User | null> {
  return (await userById.first(db, { id })) ?? null;
}

export type Unchangeable = 'userNotFound' | 'internalUser';

/** The user with this id, unless it is one of Hearth's own: those nobody changes, and they have no tokens. */
export async function changeableUser(db: Reader, id: number): Promise<User | Failure<Unchangeable>> {
  const user = await readUser(db, id);
  if (user === null) return fail('userNotFound');
  return user.internal ? fail('internalUser') : user;
}

/** The same as `readUser` and, until the last of it is gone, a user who is being deleted: whoever sees nobody knows that it is done. */
export async function readUserUntilGone(db: Reader, id: number): Promise<User | null> {
  // index: users primary key
  return (await db.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst()) ?? null;
}

// index: users primary key
const usersByIds = prepareForIds<User>((db, ids) => db.selectFrom('users').select(userColumns).where('id', 'in', ids));

/** Several users in one statement, those too who are being deleted; of a user who is gone there is none. */
export function readUsers(db: Reader, ids: readonly number[]): Promise<User[]> {
  return usersByIds(db, ids);
}

/** In whose name something is done that he does not ask for at this moment; of a user who is gone, or where there is none, nobody's. */
export async function callerOf(db: Reader, id: number | null, address: string | null): Promise<Caller> {
  const user = id === null ? null : await readUser(db, id);
  return user === null ? ANONYMOUS : { user, token: null, address };
}

/** The user of this name, in any case. */
export async function findUser(db: Reader, username: string): Promise<User | null> {
  return (await userByName.first(db, { key: foldCase(username) })) ?? null;
}

/** What a user may be given besides name, username and e-mail address. */
export type UserDetails = Partial<
  Pick<
    Insertable<UsersTable>,
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
  >
>;

export interface NewUser {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Of `hashPassword`; null: no password. */
  readonly passwordHash: string | null;
  /** The address needs no confirmation. */
  readonly confirmed: boolean;
  readonly createdById?: number | null;
  readonly internal?: boolean;
  readonly identity?: Identity | undefined;
  readonly details?: UserDetails;
  /** What is wrong with the password, told together with the other fields. */
  readonly passwordProblems?: readonly string[] | undefined;
}

/** An account elsewhere. */
export interface Identity {
  readonly provider: string;
  readonly externUid: string;
}

export type UserFailure = 'emailTaken' | 'usernameTaken' | 'invalid';

/** Unique index -> how whoever loses a race to it is refused. */
export const TAKEN = {
  users_by_username_key: 'usernameTaken',
  users_by_email_key: 'emailTaken',
  emails_by_taken_key: 'emailTaken',
  emails_by_user_address: 'emailTaken',
  identities_by_extern_uid: invalid({ 'identities.extern_uid': ['has already been taken'] }),
} as const;

/** A new user, without a namespace of its own (rooms above give it one). Refuses invalid fields and names that are taken, but for those that are being taken: `TAKEN`. */
export async function createUser(tx: Transaction, user: NewUser): Promise<User | Failure<UserFailure>> {
  if (await isEmailTaken(tx, user.email)) return fail('emailTaken');
  if (await isUsernameTaken(tx, user.username)) return fail('usernameTaken');
  const errors = user.internal ? null : userProblems(user);
  if (errors !== null) return invalid(errors);
  const { id } = await insertUser(tx, user);
  await insertEmail(tx, { userId: id, address: user.email, confirmed: user.confirmed, primary: true });
  if (user.identity) await setIdentity(tx, id, user.identity);
  return (await readUser(tx, id)) as User;
}

async function insertUser(tx: Transaction, user: NewUser): Promise<{ id: number }> {
  return tx
    .insertInto('users')
    .values({
      projects_limit: 0,
      ...user.details,
      ...names(user),
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

function names({ username, name, email }: Pick<NewUser, 'username' | 'name' | 'email'>) {
  return {
    username,
    username_key: foldCase(username),
    name,
    name_key: foldCase(name),
    email,
    email_key: foldCase(email),
  };
}

/** What a change of a user may touch; absent keys stay. */
export interface UserChanges {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  /** A new primary address; at once with `confirmed`, otherwise when it has been confirmed. */
  readonly email?: { readonly address: string; readonly confirmed: boolean } | undefined;
  /** A new password; `expired`: the user has to choose another one before anything else. */
  readonly password?: { readonly hash: string; readonly expired: boolean } | undefined;
  readonly identity?: Identity | undefined;
  readonly details?: UserDetails;
  readonly passwordProblems?: readonly string[] | undefined;
}

/** Changes a user. Its namespace is not moved here. */
export async function updateUser(
  tx: Transaction,
  user: User,
  changes: UserChanges,
): Promise<User | Failure<UserFailure>> {
  const { email, username, name } = changes;
  if (email && (await isEmailTaken(tx, email.address, user.id))) return fail('emailTaken');
  if (username !== undefined && (await isUsernameTaken(tx, username, user.id))) return fail('usernameTaken');
  const next = { username: username ?? user.username, name: name ?? user.name, email: user.email };
  const { details = {}, passwordProblems = [] } = changes;
  const errors = userProblems({ ...next, email: email?.address ?? user.email, details, passwordProblems }, user);
  if (errors !== null) return invalid(errors);
  if (email) await changeEmail(tx, user, email);
  await tx
    .updateTable('users')
    .set({
      ...changes.details,
      ...changedNames(changes),
      ...changedPassword(tx, changes.password),
      updated_at: tx.now,
    })
    .where('id', '=', user.id)
    .execute();
  // Whoever had signed in with the old one has to show the new one.
  if (changes.password) await endSessionsOf(tx, user.id);
  if (changes.identity) await setIdentity(tx, user.id, changes.identity);
  return (await readUser(tx, user.id)) as User;
}

function changedNames({ username, name }: UserChanges) {
  return {
    ...(username === undefined ? {} : { username, username_key: foldCase(username) }),
    ...(name === undefined ? {} : { name, name_key: foldCase(name) }),
  };
}

function changedPassword(tx: Transaction, password: UserChanges['password']) {
  if (!password) return {};
  return { password_hash: password.hash, password_expires_at: password.expired ? tx.now : null };
}

async function changeEmail(
  tx: Transaction,
  user: User,
  { address, confirmed }: { readonly address: string; readonly confirmed: boolean },
): Promise<void> {
  if (address === user.email) return;
  if (confirmed) return setPrimaryEmail(tx, user, address);
  await tx.updateTable('users').set({ unconfirmed_email: address }).where('id', '=', user.id).execute();
}

/** Makes a confirmed address the primary one. The old one is forgotten. */
async function setPrimaryEmail(tx: Transaction, user: User, address: string): Promise<void> {
  const key = foldCase(address);
  if (key !== foldCase(user.email)) await forgetEmail(tx, user, user.email);
  await deleteEmailRow(tx, user.id, address);
  await insertEmail(tx, { userId: user.id, address, confirmed: true, primary: true });
  await tx
    .updateTable('users')
    .set({ email: address, email_key: key, unconfirmed_email: null, confirmed_at: user.confirmed_at ?? tx.now })
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

async function isUsernameTaken(db: Reader, username: string, except = 0): Promise<boolean> {
  const holder = await findUser(db, username);
  return holder !== null && holder.id !== except;
}

/** What is wrong with the fields of a user; of one that is there, an unchanged username is not asked again. */
function userProblems(
  user: Pick<NewUser, 'username' | 'name' | 'email' | 'details' | 'passwordProblems'>,
  before?: Pick<User, 'username'>,
): FieldErrors | null {
  const { details = {} } = user;
  return fieldErrors({
    email: addressProblems(user.email),
    name: nameProblems(user.name),
    username: user.username === before?.username ? [] : usernameProblems(user.username),
    password: user.passwordProblems ?? [],
    bio: tooLong(details.bio, 255),
    ...Object.fromEntries(DETAIL_FIELDS.map((field) => [`user_detail.${field}`, tooLong(details[field], 500)])),
    pronouns: tooLong(details.pronouns, 50),
    public_email: formProblems(details.public_email),
    commit_email: formProblems(details.commit_email),
    projects_limit: limitProblems(details.projects_limit ?? 0),
    theme_id: choiceProblems(details.theme_id, THEMES, 'theme'),
    color_scheme_id: choiceProblems(details.color_scheme_id, COLOR_SCHEMES, 'color scheme'),
  });
}

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

function tooLong(text: string | null | undefined, most: number): string[] {
  return [...(text ?? '')].length > most ? [`is too long (maximum is ${most} characters)`] : [];
}

function formProblems(address: string | null | undefined): string[] {
  return address && !hasAddressForm(address) ? ['is invalid'] : [];
}

/** How many there are; they are numbered from 1. */
const THEMES = 11;
const COLOR_SCHEMES = 6;

function choiceProblems(id: number | undefined, most: number, kind: string): string[] {
  return id === undefined || (id >= 1 && id <= most) ? [] : [`${id} is not a valid ${kind}`];
}

const LARGEST_INTEGER = 2_147_483_647;

function limitProblems(limit: number): string[] {
  if (limit < 0) return ['must be greater than or equal to 0'];
  return limit > LARGEST_INTEGER ? [`must be less than or equal to ${LARGEST_INTEGER}`] : [];
}
