import { administrator, signedIn } from '#http/access/access.ts';
import { administeringUser } from '#http/access/user-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { ruledText } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { ownEmailNamed } from './access.ts';
import { createEmail, TAKEN } from './create.ts';
import { deleteEmail } from './delete.ts';
import { Email } from './entities.ts';
import { listEmails } from './store.ts';

const ofUser = { id: required(integer) };
const ofEmail = { email_id: required(integer) };
const NO_TARGET = { userNotFound: USER_NOT_FOUND, internalUser: FORBIDDEN } as const;
const CANNOT_CREATE = { ...NO_TARGET, invalid: INVALID } as const;
const CANNOT_DELETE = {
  ...NO_TARGET,
  emailNotFound: [404, '404 Email Not Found'],
  primaryEmail: FORBIDDEN,
} as const;

export const listOwnEmails = endpoint({
  get: '/user/emails',
  summary: 'List the e-mail addresses of the caller',
  access: signedIn(),
  scopes: ['read_user'],
  response: page(Email),
  read: (db, { caller, page }) => listEmails(db, caller.user.id, page),
});

export const readOwnEmail = endpoint({
  get: '/user/emails/:email_id',
  summary: 'One e-mail address of the caller',
  access: signedIn().resource(ownEmailNamed),
  scopes: ['read_user'],
  response: ok(Email),
  read: (_db, { email }) => email,
});

export const createOwnEmail = endpoint({
  post: '/user/emails',
  summary: 'Add an e-mail address to the caller, which waits for its confirmation',
  access: signedIn(),
  params: { email: required(ruledText(255)) },
  errors: CANNOT_CREATE,
  uniqueErrors: TAKEN,
  response: created(Email),
  write: (uow, { params }) => createEmail(uow, uow.actor.user.id, { email: params.email, confirmed: false }),
});

export const deleteOwnEmail = endpoint({
  delete: '/user/emails/:email_id',
  summary: 'Take an e-mail address from the caller',
  access: signedIn(),
  params: ofEmail,
  errors: CANNOT_DELETE,
  response: noContent,
  write: (uow, { params }) => deleteEmail(uow, uow.actor.user.id, params.email_id),
});

export const listUserEmails = endpoint({
  get: '/users/:id(^\\d+$)/emails',
  summary: 'List the e-mail addresses of a user',
  access: administeringUser('id'),
  scopes: ['read_user'],
  response: page(Email),
  read: (db, { user, page }) => listEmails(db, user.id, page),
});

export const createUserEmail = endpoint({
  post: '/users/:id(^\\d+$)/emails',
  summary: 'Add an e-mail address to a user',
  access: administrator(),
  params: { ...ofUser, email: required(ruledText(255)), skip_confirmation: optional(boolean, false) },
  errors: CANNOT_CREATE,
  uniqueErrors: TAKEN,
  response: created(Email),
  write: (uow, { params: { id, email, skip_confirmation: confirmed } }) => createEmail(uow, id, { email, confirmed }),
});

export const deleteUserEmail = endpoint({
  delete: '/users/:id(^\\d+$)/emails/:email_id',
  summary: 'Take an e-mail address from a user',
  access: administrator(),
  params: { ...ofUser, ...ofEmail },
  errors: CANNOT_DELETE,
  response: noContent,
  write: (uow, { params }) => deleteEmail(uow, params.id, params.email_id),
});
