import { Type } from 'typebox';
import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessCall, administrator, administratorWithUser, signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, noContent, nullable, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { createEmail, deleteEmail, EMAIL_UNIQUE_ERRORS } from './changes.ts';
import { findEmail, listEmails } from './store.ts';

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

/** The representation of an email address of a user (contract/activity.md Part 4). */
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
  access: signedIn(),
  scopes: ['read_user'],
  response: page(Email),
  read: (db, { caller, page }) => listEmails(db, caller.user.id, page),
});

export const getOwnEmail = endpoint({
  get: '/user/emails/:email_id',
  summary: 'Get one of your email addresses',
  access: signedIn().resource(ownEmailResource),
  scopes: ['read_user'],
  response: ok(Email),
  read: (_db, { email }) => email,
});

export const createOwnEmail = endpoint({
  post: '/user/emails',
  summary: 'Add an email address to your account',
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
  access: signedIn(),
  params: emailParameter,
  errors: DELETE_ERRORS,
  response: noContent,
  write: (uow, { params }) => deleteEmail(uow, uow.actor.user.id, params.email_id),
});

export const listUserEmails = endpoint({
  get: '/users/:id(^\\d+$)/emails',
  summary: 'List the email addresses of a user',
  access: administratorWithUser('id'),
  scopes: ['read_user'],
  response: page(Email),
  read: (db, { user, page }) => listEmails(db, user.id, page),
});

export const createUserEmail = endpoint({
  post: '/users/:id(^\\d+$)/emails',
  summary: 'Add an email address to a user',
  access: administrator(),
  params: { ...userParameter, email: required(domainValidatedText(255)), skip_confirmation: optional(boolean, false) },
  errors: CREATE_ERRORS,
  uniqueErrors: EMAIL_UNIQUE_ERRORS,
  response: created(Email),
  write: (uow, { params: { id, email, skip_confirmation: confirmed } }) => createEmail(uow, id, { email, confirmed }),
});

export const deleteUserEmail = endpoint({
  delete: '/users/:id(^\\d+$)/emails/:email_id',
  summary: 'Delete an email address of a user',
  access: administrator(),
  params: { ...userParameter, ...emailParameter },
  errors: DELETE_ERRORS,
  response: noContent,
  write: (uow, { params }) => deleteEmail(uow, params.id, params.email_id),
});
