import { Type } from 'typebox';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { findUserUntilDeleted, type User } from '#authentication/users/users.ts';
import type { Database, Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import {
  type Access,
  type AccessCall,
  access,
  administrator,
  administratorAfterParameters,
  requireSignedInCaller,
  signedIn,
} from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, nullable, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, TOO_MANY_REQUESTS, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, unauthorized } from '#http/errors/http-error.ts';
import { checkOffsetLimit, type ListPage, offsetTooFarError, type PageRequest } from '#http/lists/pagination.ts';
import { allOrNone, atLeastOne, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { withCustomAttributes } from '../custom-attributes/index.ts';
import * as changes from './changes.ts';
import { CurrentUser, ListedUser, UserAdmin, UserProfile } from './entities.ts';
import { canSendLinks } from './link-mail.ts';
import {
  createUserParams,
  toCreateInput,
  toIdentity,
  toUpdateInput,
  USER_KEYSET,
  type UserListParams,
  updateUserParams,
  userListParams,
} from './parameters.ts';
import { enqueuePasswordLink } from './password-link-mail.ts';
import * as states from './states.ts';
import { type CurrentUserRow, findCurrentUser, listUsers as listUserPage } from './store.ts';

const userIdParams = { id: required(integer) };
const INTERNAL_USER = [403, '403 Forbidden - An internal user cannot be changed'] as const;
const createOnlyAdministratorError = (action: string) =>
  [403, `403 Forbidden - The only administrator cannot ${action}`] as const;
/** Errors of `createUser` and `updateUser`. */
export const SAVE_ERRORS = {
  emailTaken: [409, 'Email has already been taken'],
  usernameTaken: [409, 'Username has already been taken'],
  pathTaken: [400, { message: { base: ['A user, alias, or group already exists with that username.'] } }],
  invalid: INVALID,
} as const;

const NEEDS_MAIL_DELIVERY =
  'reset_password needs mail delivery (HEARTH_MAIL_DELIVERY=smtp); without it, send password or force_random_password';

export const getCurrentUser = endpoint({
  get: '/user',
  summary: 'Get the current user',
  description:
    'Returns the caller with private details, such as the email address and the project limit. Administrators get ' +
    'the fields of `POST /users`.',
  access: currentUserAccess(),
  scopes: ['read_user'],
  response: ok(CurrentUser),
  read: (_db, { user }) => user,
});

export const listUsers = endpoint({
  get: '/users',
  summary: 'List users',
  description:
    'Returns users, newest first by default; with `search`, exact matches come first. Administrators get all ' +
    'details. Other callers get basic fields, and neither blocked nor banned users. Anonymous callers must send ' +
    '`username`, and get 403 if the instance restricts public visibility.',
  access: userListAccess(),
  scopes: ['read_user'],
  params: userListParams,
  rules: [allOrNone('extern_uid', 'provider')],
  keyset: USER_KEYSET,
  errors: { offsetTooFar: offsetTooFarError('User') },
  response: page(ListedUser),
  read: (db, { caller, params, page }) => listVisibleUsers(db, caller, params, page),
});

export const getUser = endpoint({
  get: '/users/:id(^\\d+$)',
  summary: 'Get a user',
  description:
    'Returns the profile of a user. Private profiles and profiles of blocked users lack the date of creation and the ' +
    'numbers of followers, except for administrators and the user. Administrators get all details. Anonymous callers ' +
    'get 403. A rate limit applies to callers who are not administrators.',
  access: userReadAccess(),
  scopes: ['read_user'],
  params: { ...userIdParams, ...withCustomAttributes },
  errors: {
    notFound: USER_NOT_FOUND,
    tooMany: TOO_MANY_REQUESTS,
  },
  response: ok(UserProfile),
  handle: async ({ caller, params }, { database }) =>
    (await checkReadLimit(database, caller)) ??
    (await findUserUntilDeleted(database.reader, params.id)) ??
    fail('notFound'),
});

export const createUser = endpoint({
  post: '/users',
  summary: 'Create a user',
  description:
    'Creates a user with a personal namespace whose path is the username. Omitted attributes have the defaults of ' +
    'the instance. The username must not be the path of a group, and the email address must not belong to another ' +
    'user.',
  access: administratorAfterParameters(),
  params: createUserParams,
  rules: [atLeastOne('password', 'reset_password', 'force_random_password'), allOrNone('extern_uid', 'provider')],
  errors: { ...SAVE_ERRORS, noMailDelivery: [400, { message: { base: [NEEDS_MAIL_DELIVERY] } }] },
  uniqueErrors: changes.SAVE_UNIQUE_ERRORS,
  activity: ['user_created'],
  response: created(UserAdmin),
  async handle({ caller, params }, { config, database, runUnitOfWork }) {
    if (params.reset_password && !canSendLinks(config)) return fail('noMailDelivery');
    const input = toCreateInput(params);
    const password = await changes.prepareInitialPassword(database.reader, input);
    return runUnitOfWork(caller, async (uow) => {
      const user = await changes.createUser(uow, input, password);
      if (params.reset_password && !isFailure(user))
        await enqueuePasswordLink(uow, { address: user.email, isNewAccount: true });
      return user;
    });
  },
});

export const updateUser = endpoint({
  put: '/users/:id(^\\d+$)',
  summary: 'Update a user',
  description:
    'Changes the sent attributes; absent ones stay unchanged. A new username moves the personal namespace, and old ' +
    'project paths redirect. A new email address must be confirmed before it replaces the old one, unless ' +
    '`skip_reconfirmation` is set. A new password for another user expires immediately, so that they must choose their ' +
    'own at the next sign-in.',
  access: administratorAfterParameters(),
  params: { ...userIdParams, ...updateUserParams },
  rules: [allOrNone('extern_uid', 'provider')],
  errors: {
    ...SAVE_ERRORS,
    userNotFound: USER_NOT_FOUND,
    internalUser: INTERNAL_USER,
    onlyAdministrator: createOnlyAdministratorError('give up that role'),
  },
  uniqueErrors: changes.SAVE_UNIQUE_ERRORS,
  activity: [
    'user_email_address_updated',
    'user_username_updated',
    'user_name_updated',
    'user_admin_status_updated',
    'user_password_updated',
  ],
  response: ok(UserAdmin),
  async handle({ caller, params }, { database, runUnitOfWork }) {
    const input = toUpdateInput(params);
    const password = await changes.prepareNewPassword(database.reader, params.id, input);
    return runUnitOfWork(caller, (uow) => changes.updateUser(uow, params.id, input, password));
  },
});

export const blockUser = endpoint({
  post: '/users/:id(^\\d+$)/block',
  summary: 'Block a user',
  description:
    'Blocks the user, who can neither sign in nor use tokens until unblocked. Returns true, or null if the user is ' +
    'blocked already. Callers cannot block themselves, and the only administrator cannot be blocked.',
  access: administrator(),
  params: userIdParams,
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: [403, 'An internal user cannot be blocked'],
    ownAccount: [403, '403 Forbidden - The API initiating user cannot be blocked by the API'],
    onlyAdministrator: createOnlyAdministratorError('be blocked'),
  },
  activity: ['user_blocked'],
  response: created(rawEntity(nullable(Type.Boolean()))),
  write: (uow, { params }) => states.blockUser(uow, params.id),
});

export const unblockUser = endpoint({
  post: '/users/:id(^\\d+$)/unblock',
  summary: 'Unblock a user',
  description:
    'Unblocks a blocked user. Returns true, or false if the user is not blocked. Deactivated users must be activated ' +
    'instead.',
  access: administrator(),
  params: userIdParams,
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: INTERNAL_USER,
    deactivated: [403, '403 Forbidden - Deactivated users cannot be unblocked by the API'],
  },
  activity: ['user_unblocked'],
  response: created(rawEntity(Type.Boolean())),
  write: (uow, { params }) => states.unblockUser(uow, params.id),
});

export const unlockUser = endpoint({
  post: '/users/:id(^\\d+$)/unlock',
  summary: 'Unlock a user',
  description:
    'Unlocks a user who cannot sign in with a password after ten wrong passwords. Returns true, or false if the ' +
    'account is not locked. Without this call, the lock ends after ten minutes.',
  access: administrator(),
  params: userIdParams,
  errors: { userNotFound: USER_NOT_FOUND, internalUser: INTERNAL_USER },
  activity: ['user_access_unlocked'],
  response: created(rawEntity(Type.Boolean())),
  write: (uow, { params }) => states.unlockUser(uow, params.id),
});

export const deactivateUser = endpoint({
  post: '/users/:id(^\\d+$)/deactivate',
  summary: 'Deactivate a dormant user',
  description:
    'Deactivates a user who was not active for the number of days in the setting `deactivate_dormant_users_period`. ' +
    'Signing in on the web activates the user again. Returns true, also for a user who is deactivated already.',
  access: administrator(),
  params: userIdParams,
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: [403, 'Internal users cannot be deactivated'],
    blocked: [403, 'Error occurred. A blocked user cannot be deactivated'],
    onlyAdministrator: createOnlyAdministratorError('be deactivated'),
    recentlyActive: [
      403,
      'The user you are trying to deactivate has been active in the past {days} days and cannot be deactivated',
    ],
  },
  response: created(rawEntity(Type.Boolean())),
  write: (uow, { params }) => states.deactivateUser(uow, params.id),
});

export const activateUser = endpoint({
  post: '/users/:id(^\\d+$)/activate',
  summary: 'Activate a deactivated user',
  description:
    'Activates a deactivated user. Returns true, also for a user who is active already. Blocked users must be ' +
    'unblocked instead.',
  access: administrator(),
  params: userIdParams,
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: INTERNAL_USER,
    blocked: [403, 'Error occurred. A blocked user must be unblocked to be activated'],
  },
  response: created(rawEntity(Type.Boolean())),
  write: (uow, { params }) => states.activateUser(uow, params.id),
});

export const banUser = endpoint({
  post: '/users/:id(^\\d+$)/ban',
  summary: 'Ban a user',
  description:
    'Bans an active user, who can neither sign in nor use tokens until unbanned. Returns true. Users in another ' +
    'state get 403.',
  access: administrator(),
  params: userIdParams,
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: INTERNAL_USER,
    wrongState: [403, 'You cannot ban {state} users.'],
    onlyAdministrator: createOnlyAdministratorError('be banned'),
  },
  response: created(rawEntity(Type.Boolean())),
  write: (uow, { params }) => states.banUser(uow, params.id),
});

export const unbanUser = endpoint({
  post: '/users/:id(^\\d+$)/unban',
  summary: 'Unban a user',
  description: 'Lifts the ban of a user, who becomes active. Returns true. Users who are not banned get 403.',
  access: administrator(),
  params: userIdParams,
  errors: {
    userNotFound: USER_NOT_FOUND,
    internalUser: INTERNAL_USER,
    wrongState: [403, 'You cannot unban {state} users.'],
  },
  response: created(rawEntity(Type.Boolean())),
  write: (uow, { params }) => states.unbanUser(uow, params.id),
});

/** Admits signed-in users and loads their row. Answers 401 if the account was deleted since the request was authenticated. */
function currentUserAccess(): Access<{ caller: SignedInCaller; user: CurrentUserRow }> {
  return signedIn().resource({
    name: 'user',
    load: ({ db }: AccessCall, { caller }: { readonly caller: SignedInCaller }) => findCurrentUser(db, caller.user.id),
    notFound: unauthorized,
  });
}

/**
 * Admits callers of user lists. Anonymous callers must filter by username, and get 403 if public visibility is restricted. Only
 * administrators may filter by `extern_uid`.
 */
function userListAccess(): Access<{ caller: Caller }> {
  return access({
    audience: 'open',
    label: 'open with a username',
    authenticate: () => {},
    load: async ({ caller }) => ({ caller }),
    async authorize(call) {
      if (call.caller.user === null) await requireAnonymousSearch(call);
      const { extern_uid } = call.params;
      if (extern_uid && !isAdministrator(call.caller)) throw forbidden();
    },
  });
}

/** Throws 403 unless an anonymous caller filters by username and public visibility is not restricted. */
async function requireAnonymousSearch({ db, params }: AccessCall): Promise<void> {
  const { restricted_visibility_levels } = await loadSettings(db);
  if (params.username && !restricted_visibility_levels.includes('public')) return;
  throw forbidden('Not authorized to access /api/v4/users');
}

/** Admits signed-in callers. Anonymous callers get 403, not 401. */
function userReadAccess(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: 'user (403)',
    authenticate: () => {},
    async load({ caller }) {
      if (caller.user === null) throw forbidden('Not authorized!');
      return { caller: requireSignedInCaller(caller) };
    },
    authorize: () => {},
  });
}

/** Period of the rate limit for reading single users. */
const READ_LIMIT_PERIOD_SECONDS = 600;

/** Returns one page of the users that match the filters. */
async function listVisibleUsers(
  db: Reader,
  caller: Caller,
  filters: UserListParams,
  page: PageRequest,
): Promise<ListPage<User> | Failure<'offsetTooFar'>> {
  const forAdministrator = isAdministrator(caller);
  return (
    (await checkOffsetLimit(db, page)) ??
    listUserPage(db, { ...filters, identity: toIdentity(filters), forAdministrator }, page)
  );
}

/** Checks the rate limit of reading single users. Administrators and users in the allowlist are exempt. */
async function checkReadLimit(database: Database, { user }: SignedInCaller): Promise<Failure<'tooMany'> | null> {
  if (user.admin) return null;
  const settings = await loadSettings(database.reader);
  const exemptUsernames = settings.users_get_by_id_limit_allowlist.map(foldCase);
  if (exemptUsernames.includes(foldCase(user.username))) return null;
  const limit = settings.users_get_by_id_limit;
  return checkApplicationLimit(database, {
    name: 'users_get_by_id',
    subject: user.id,
    limit,
    periodSeconds: READ_LIMIT_PERIOD_SECONDS,
  });
}
