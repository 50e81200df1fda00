import { Type } from 'typebox';
import { today } from '../../../clock.ts';
import { administrator, administratorLate, signedIn } from '../../../http/access/access.ts';
import { created, entity, mapPage, nullable, page } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { isBeyondOffset, offsetTooFar } from '../../../http/lists/offset-limit.ts';
import { allOrNone, atLeastOne, optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, text } from '../../../http/parameters/types.ts';
import { isAdministrator } from '../../../identity/caller.ts';
import { isRefused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { listingUsers, readingUsers } from './access.ts';
import { createUser as create } from './create.ts';
import {
  UserAdmin,
  UserAdminDetail,
  UserBasic,
  UserExtended,
  UserHidden,
  UserSelf,
  userAdmin,
  userBasic,
} from './entities.ts';
import { details, detailsOf, filters, identityOf, knownOrder } from './parameters.ts';
import { limitReading, ownProfile, profileFor } from './read.ts';
import { activate, ban, block, deactivate, unban, unblock } from './states.ts';
import { KEYSET, listUsers as list, type UserOrder, withFacts } from './store.ts';
import { updateUser as update } from './update.ts';

const userId = { id: required(integer) };
const NOT_FOUND = [404, '404 User Not Found'] as const;
const INTERNAL = [403, '403 Forbidden - An internal user cannot be changed'] as const;
const takenNames = {
  email_taken: [409, 'Email has already been taken'],
  username_taken: [409, 'Username has already been taken'],
  path_taken: [400, { message: { base: ['A user, alias, or group already exists with that username.'] } }],
  invalid: [400, RECORD_ERRORS],
} as const;

export const readCurrentUser = endpoint({
  get: '/user',
  summary: 'The caller',
  access: signedIn(),
  scopes: ['read_user'],
  answer: entity(Type.Union([UserSelf, UserAdmin])),
  handle: ({ caller, db, base }) => ownProfile(db, caller, base) as never,
});

export const listUsers = endpoint({
  get: '/users',
  summary: 'List users',
  access: listingUsers(),
  scopes: ['read_user'],
  params: filters,
  rules: [knownOrder, allOrNone('extern_uid', 'provider')],
  keyset: KEYSET,
  refuses: { offsetTooFar: offsetTooFar('User') },
  answer: page(Type.Union([UserBasic.schema, UserAdmin])),
  async handle({ caller, params, page, db, base, clock }) {
    const { offset_pagination_limit: limit } = await readSettings(db);
    if (isBeyondOffset(page, limit)) return refused('offsetTooFar', { limit });
    const everything = isAdministrator(caller);
    const filter = { ...params, identity: identityOf(params), everything, today: today(clock) };
    const sorting = {
      orderBy: (params.order_by || undefined) as UserOrder | undefined,
      sort: params.sort ?? undefined,
    };
    const found = await list(db, filter, sorting, page);
    const known = everything ? await withFacts(db, found.items) : null;
    return mapPage(found, (users) => (known ? userAdmin(known, base) : userBasic(users, base)) as never[]);
  },
});

export const readUser = endpoint({
  get: '/users/:id(^\\d+$)',
  summary: 'One user',
  access: readingUsers(),
  scopes: ['read_user'],
  params: userId,
  refuses: {
    notFound: NOT_FOUND,
    tooMany: [
      429,
      { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
      { 'Retry-After': '{seconds}' },
    ],
  },
  answer: entity(Type.Union([UserExtended, UserHidden, UserAdminDetail])),
  handle: async ({ caller, params, database, db, base }) =>
    (await limitReading(database, caller)) ?? ((await profileFor(db, params.id, caller, base)) as never),
});

export const createUser = endpoint({
  post: '/users',
  summary: 'Create a user',
  access: administratorLate(),
  params: {
    email: required(text),
    name: required(text),
    username: required(text),
    password: optional(text),
    reset_password: optional(boolean),
    force_random_password: optional(boolean),
    skip_confirmation: optional(boolean, false),
    ...details,
  },
  rules: [atLeastOne('password', 'reset_password', 'force_random_password'), allOrNone('extern_uid', 'provider')],
  refuses: takenNames,
  records: ['user_created'],
  answer: created(UserAdmin),
  async handle({ caller, params, database, db, base }) {
    const { email, name, username, force_random_password, skip_confirmation: confirmed } = params;
    const password = force_random_password ? null : (params.password ?? null);
    const fields = { details: detailsOf(params), identity: identityOf(params) };
    const user = await create(database, { email, name, username, password, confirmed, ...fields }, caller);
    return isRefused(user) ? user : (userAdmin(await withFacts(db, [user]), base)[0] as never);
  },
});

export const updateUser = endpoint({
  put: '/users/:id(^\\d+$)',
  summary: 'Change a user',
  access: administratorLate(),
  params: {
    ...userId,
    email: optional(text),
    name: optional(text),
    username: optional(text),
    password: optional(text),
    skip_reconfirmation: optional(boolean, false),
    ...details,
  },
  rules: [allOrNone('extern_uid', 'provider')],
  refuses: { ...takenNames, notFound: NOT_FOUND, internalUser: INTERNAL },
  records: [
    'user_email_address_updated',
    'user_username_updated',
    'user_name_updated',
    'user_admin_status_updated',
    'user_password_updated',
  ],
  answer: entity(UserAdmin),
  async handle({ caller, params, database, facts, db, base }) {
    const { skip_reconfirmation: confirmed } = params;
    const email = typeof params.email === 'string' ? { address: params.email, confirmed } : undefined;
    const named = { name: params.name ?? undefined, username: params.username ?? undefined };
    const fields = { password: params.password ?? undefined, details: detailsOf(params), identity: identityOf(params) };
    const user = await update({ database, facts }, params.id, { ...named, email, ...fields }, caller);
    return isRefused(user) ? user : (userAdmin(await withFacts(db, [user]), base)[0] as never);
  },
});

export const blockUser = endpoint({
  post: '/users/:id(^\\d+$)/block',
  summary: 'Block a user',
  access: administrator(),
  params: userId,
  refuses: {
    notFound: NOT_FOUND,
    internalUser: [403, '403 Forbidden - An internal user cannot be blocked'],
    ownAccount: [403, '403 Forbidden - The API initiating user cannot be blocked by the API'],
  },
  records: ['user_blocked'],
  answer: created(nullable(Type.Boolean())),
  handle: ({ params, database, caller }) => block(database, params.id, caller),
});

export const unblockUser = endpoint({
  post: '/users/:id(^\\d+$)/unblock',
  summary: 'Give a blocked user access again',
  access: administrator(),
  params: userId,
  refuses: {
    notFound: NOT_FOUND,
    internalUser: INTERNAL,
    deactivated: [403, '403 Forbidden - Deactivated users cannot be unblocked by the API'],
  },
  records: ['user_unblocked'],
  answer: created(Type.Boolean()),
  handle: ({ params, database, caller }) => unblock(database, params.id, caller),
});

export const deactivateUser = endpoint({
  post: '/users/:id(^\\d+$)/deactivate',
  summary: 'Deactivate a dormant user',
  access: administrator(),
  params: userId,
  refuses: {
    notFound: NOT_FOUND,
    internalUser: [403, 'Internal users cannot be deactivated'],
    blocked: [403, 'Error occurred. A blocked user cannot be deactivated'],
    recentlyActive: [
      403,
      'The user you are trying to deactivate has been active in the past {days} days and cannot be deactivated',
    ],
  },
  answer: created(Type.Boolean()),
  handle: ({ params, database }) => deactivate(database, params.id),
});

export const activateUser = endpoint({
  post: '/users/:id(^\\d+$)/activate',
  summary: 'Activate a deactivated user',
  access: administrator(),
  params: userId,
  refuses: {
    notFound: NOT_FOUND,
    internalUser: INTERNAL,
    blocked: [403, 'Error occurred. A blocked user must be unblocked to be activated'],
  },
  answer: created(Type.Boolean()),
  handle: ({ params, database }) => activate(database, params.id),
});

export const banUser = endpoint({
  post: '/users/:id(^\\d+$)/ban',
  summary: 'Ban a user',
  access: administrator(),
  params: userId,
  refuses: { notFound: NOT_FOUND, internalUser: INTERNAL, wrongState: [403, 'You cannot ban {state} users.'] },
  answer: created(Type.Boolean()),
  handle: ({ params, database }) => ban(database, params.id),
});

export const unbanUser = endpoint({
  post: '/users/:id(^\\d+$)/unban',
  summary: 'Lift the ban of a user',
  access: administrator(),
  params: userId,
  refuses: { notFound: NOT_FOUND, internalUser: INTERNAL, wrongState: [403, 'You cannot unban {state} users.'] },
  answer: created(Type.Boolean()),
  handle: ({ params, database }) => unban(database, params.id),
});
