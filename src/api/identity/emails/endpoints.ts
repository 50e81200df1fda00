import { administrator, signedIn } from '../../../http/access/access.ts';
import { administeringUser } from '../../../http/access/user-access.ts';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, text } from '../../../http/parameters/types.ts';
import { isRefused } from '../../../refused.ts';
import { ownEmailNamed } from './access.ts';
import { createEmail } from './create.ts';
import { deleteEmail } from './delete.ts';
import { Email, emailEntity } from './entities.ts';
import { listEmails } from './store.ts';

const ofEmail = { email_id: required(integer) };
const ofUser = { id: required(integer) };
const noTarget = {
  userNotFound: [404, '404 User Not Found'],
  internalUser: [403, '403 Forbidden'],
} as const;
const cannotCreate = { ...noTarget, invalid: [400, RECORD_ERRORS] } as const;
const cannotDelete = {
  ...noTarget,
  emailNotFound: [404, '404 Email Not Found'],
  primaryEmail: [403, '403 Forbidden'],
} as const;

export const listOwnEmails = endpoint({
  get: '/user/emails',
  summary: 'List the e-mail addresses of the caller',
  access: signedIn(),
  scopes: ['read_user'],
  answer: page(Email),
  async handle({ caller, page, db }) {
    const found = await listEmails(db, caller.user.id, page);
    return mapPage(found, (emails) => emails.map(emailEntity));
  },
});

export const readOwnEmail = endpoint({
  get: '/user/emails/:email_id',
  summary: 'One e-mail address of the caller',
  access: signedIn().record(ownEmailNamed),
  scopes: ['read_user'],
  params: ofEmail,
  answer: entity(Email),
  handle: ({ email }) => emailEntity(email),
});

export const createOwnEmail = endpoint({
  post: '/user/emails',
  summary: 'Add an e-mail address to the caller, which waits for its confirmation',
  access: signedIn(),
  params: { email: required(text) },
  refuses: cannotCreate,
  answer: created(Email),
  async handle({ caller, params: { email }, database }) {
    const made = await createEmail(database, { userId: caller.user.id, email, confirmed: false });
    return isRefused(made) ? made : emailEntity(made);
  },
});

export const deleteOwnEmail = endpoint({
  delete: '/user/emails/:email_id',
  summary: 'Take an e-mail address from the caller',
  access: signedIn(),
  params: ofEmail,
  refuses: cannotDelete,
  answer: nothing,
  handle: ({ caller, params, database }) => deleteEmail(database, { userId: caller.user.id, emailId: params.email_id }),
});

export const listUserEmails = endpoint({
  get: '/users/:id(^\\d+$)/emails',
  summary: 'List the e-mail addresses of a user',
  access: administeringUser('id'),
  scopes: ['read_user'],
  params: ofUser,
  answer: page(Email),
  async handle({ user, page, db }) {
    const found = await listEmails(db, user.id, page);
    return mapPage(found, (emails) => emails.map(emailEntity));
  },
});

export const createUserEmail = endpoint({
  post: '/users/:id(^\\d+$)/emails',
  summary: 'Add an e-mail address to a user',
  access: administrator(),
  params: { ...ofUser, email: required(text), skip_confirmation: optional(boolean, false) },
  refuses: cannotCreate,
  answer: created(Email),
  async handle({ params: { id: userId, email, skip_confirmation: confirmed }, database }) {
    const made = await createEmail(database, { userId, email, confirmed });
    return isRefused(made) ? made : emailEntity(made);
  },
});

export const deleteUserEmail = endpoint({
  delete: '/users/:id(^\\d+$)/emails/:email_id',
  summary: 'Take an e-mail address from a user',
  access: administrator(),
  params: { ...ofUser, ...ofEmail },
  refuses: cannotDelete,
  answer: nothing,
  handle: ({ params, database }) => deleteEmail(database, { userId: params.id, emailId: params.email_id }),
});
