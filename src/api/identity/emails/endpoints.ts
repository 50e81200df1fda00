import type { ExpressionBuilder } from 'kysely';
import { Type } from 'typebox';
import type { SignedInCaller } from '#authentication/caller.ts';
import {
  type Email as EmailRow,
  emailColumns,
  insertUserEmail,
  isEmailTaken,
  normalizeAddress,
  removeEmailFromUser,
  validateAddress,
} from '#authentication/users/emails.ts';
import { findChangeableUser, type UnchangeableUserCode } from '#authentication/users/users.ts';
import type { Reader, Schema } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AccessCall, administrator, administratorWithUser, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, noContent, nullable, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { enqueueEmailConfirmation } from '../users/index.ts';

const ADDRESS_TAKEN = invalid({ email: ['has already been taken'] });

/** Errors by unique index, for an address that a concurrent request has added. */
const EMAIL_UNIQUE_ERRORS = {
  emails_by_taken_key: ADDRESS_TAKEN,
  emails_by_user_address: ADDRESS_TAKEN,
} as const;

interface EmailParameters {
  readonly email_id: number;
}

/** Resource: the email address `:email_id` of the caller. */
const ownEmailResource = {
  name: 'email',
  params: { email_id: required(integer) },
  load: ({ db, params }: AccessCall<EmailParameters>, { caller }: { readonly caller: SignedInCaller }) =>
    findEmail(db, caller.user.id, params.email_id),
  notFound: () => notFound('Email'),
} as const;

/** An email address of a user (contract/activity.md Part 4). */
const Email = entity('Email', {
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: nullable(dateTime),
}).columns();

const userParameter = { id: required(integer) };
const emailParameter = { email_id: required(integer) };
const USER_ERRORS = { userNotFound: USER_NOT_FOUND, internalUser: FORBIDDEN } as const;
const CREATE_ERRORS = { ...USER_ERRORS, invalid: INVALID } as const;
const DELETE_ERRORS = {
  ...USER_ERRORS,
  emailNotFound: [404, '404 Email Not Found'],
  primaryEmail: FORBIDDEN,
} as const;

export const listOwnEmails = endpoint({
  get: '/user/emails',
  summary: 'List your email addresses',
  description:
    'Returns the email addresses of the caller, ordered by id: the primary one once it is confirmed, and all ' +
    'secondary ones.',
  access: signedIn(),
  scopes: ['read_user'],
  response: page(Email),
  read: (db, { caller, page }) => listEmails(db, caller.user.id, page),
});

export const getOwnEmail = endpoint({
  get: '/user/emails/:email_id',
  summary: 'Get one of your email addresses',
  description: 'Returns an email address of the caller. Addresses of other users get 404.',
  access: signedIn().resource(ownEmailResource),
  scopes: ['read_user'],
  response: ok(Email),
  read: (_db, { email }) => email,
});

export const createOwnEmail = endpoint({
  post: '/user/emails',
  summary: 'Add an email address to your account',
  description:
    'Adds a secondary address, which is not confirmed until the link in a mail to it is followed. Addresses are stored ' +
    'in lower case. The call fails if the caller has the address already or if another user has confirmed it.',
  access: signedIn(),
  params: { email: required(domainValidatedText(255)) },
  errors: CREATE_ERRORS,
  uniqueErrors: EMAIL_UNIQUE_ERRORS,
  response: created(Email),
  write: (uow, { params }) => createEmail(uow, uow.actor.user.id, { email: params.email, confirmed: false }),
});

export const deleteOwnEmail = endpoint({
  delete: '/user/emails/:email_id',
  summary: 'Delete one of your email addresses',
  description:
    'Deletes a secondary address. Where it was the notification, public or commit address, that setting is reset. ' +
    'The primary address cannot be deleted.',
  access: signedIn(),
  params: emailParameter,
  errors: DELETE_ERRORS,
  response: noContent,
  write: (uow, { params }) => deleteEmail(uow, uow.actor.user.id, params.email_id),
});

export const listUserEmails = endpoint({
  get: '/users/:id(^\\d+$)/emails',
  summary: 'List the email addresses of a user',
  description:
    'Returns the email addresses of the user, ordered by id: the primary one once it is confirmed, and all secondary ' +
    'ones.',
  access: administratorWithUser('id'),
  scopes: ['read_user'],
  response: page(Email),
  read: (db, { user, page }) => listEmails(db, user.id, page),
});

export const createUserEmail = endpoint({
  post: '/users/:id(^\\d+$)/emails',
  summary: 'Add an email address to a user',
  description:
    'Adds a secondary address to the user, who confirms it with the link in a mail. Addresses are stored in lower case. ' +
    'The call fails if the user has the address already or if another user has confirmed it.',
  access: administrator(),
  params: {
    ...userParameter,
    email: required(domainValidatedText(255)),
    skip_confirmation: describe(optional(boolean, false), 'Confirms the address immediately.'),
  },
  errors: CREATE_ERRORS,
  uniqueErrors: EMAIL_UNIQUE_ERRORS,
  response: created(Email),
  write: (uow, { params: { id, email, skip_confirmation: confirmed } }) => createEmail(uow, id, { email, confirmed }),
});

export const deleteUserEmail = endpoint({
  delete: '/users/:id(^\\d+$)/emails/:email_id',
  summary: 'Delete an email address of a user',
  description:
    'Deletes a secondary address of the user. Where it was the notification, public or commit address, that setting ' +
    'is reset. The primary address cannot be deleted.',
  access: administrator(),
  params: { ...userParameter, ...emailParameter },
  errors: DELETE_ERRORS,
  response: noContent,
  write: (uow, { params }) => deleteEmail(uow, params.id, params.email_id),
});

/** Returns one page of a user's addresses, ordered by id. */
async function listEmails(db: Reader, userId: number, page: OffsetRequest): Promise<Page<EmailRow>> {
  // index: emails_by_user
  const query = db.selectFrom('emails').select(emailColumns).where('user_id', '=', userId).where(isListed);
  return paginate(db, query.orderBy('emails.id', 'asc'), page);
}

/** Returns an address of this user, or null if there is none or it belongs to another user. */
async function findEmail(db: Reader, userId: number, id: number): Promise<EmailRow | null> {
  // index: emails primary key
  const query = db.selectFrom('emails').select(emailColumns).where('id', '=', id).where('user_id', '=', userId);
  return (await query.where(isListed).executeTakeFirst()) ?? null;
}

/**
 * Returns the SQL condition for listed addresses: all secondary ones, and primary ones that are confirmed. An unconfirmed address is
 * primary if it has a `taken_key`.
 */
function isListed(eb: ExpressionBuilder<Schema, 'emails'>) {
  return eb.or([eb('emails.confirmed_at', 'is not', null), eb('emails.taken_key', 'is', null)]);
}

/** Adds a secondary address (contract/activity.md Part 4). Fails if the user already has it, or if another user has confirmed it. */
async function createEmail(
  uow: UnitOfWork,
  userId: number,
  { email, confirmed }: { readonly email: string; readonly confirmed: boolean },
): Promise<EmailRow | Failure<UnchangeableUserCode | 'invalid'>> {
  const user = await findChangeableUser(uow, userId);
  if (isFailure(user)) return user;
  const address = normalizeAddress(email);
  const problems = validateAddress(address);
  if (problems.length > 0) return invalid({ email: problems });
  if (await isEmailTaken(uow, address)) return ADDRESS_TAKEN;
  const row = await insertUserEmail(uow, { userId, address, confirmed, primary: false });
  if (!confirmed) await enqueueEmailConfirmation(uow, { userId, address });
  return row;
}

/** Deletes a secondary address of a user (contract/activity.md Part 4). Another user may claim it afterwards. */
async function deleteEmail(
  uow: UnitOfWork,
  userId: number,
  emailId: number,
): Promise<undefined | Failure<UnchangeableUserCode | 'emailNotFound' | 'primaryEmail'>> {
  const user = await findChangeableUser(uow, userId);
  if (isFailure(user)) return user;
  const email = await findEmail(uow, userId, emailId);
  if (email === null) return fail('emailNotFound');
  if (foldCase(email.email) === foldCase(user.email)) return fail('primaryEmail');
  await removeEmailFromUser(uow, user, email.email);
}
