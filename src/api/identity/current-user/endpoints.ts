import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import { isConfirmedAddress, isValidAddress } from '#authentication/users/emails.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { browserSession, type SessionCaller } from '#http/access/session-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent, ok } from '#http/endpoint/responses.ts';
import { FORBIDDEN, TOO_MANY_REQUESTS, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, type ParameterValues, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { oneOf } from '#http/parameters/types.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { limitFailedSignIns } from '#rate-limits/failed-sign-ins.ts';
import { type Failure, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import {
  CurrentUser,
  findCurrentUser,
  prepareNewPassword,
  SAVE_ERRORS,
  SAVE_UNIQUE_ERRORS,
  toPasswordCheckServices,
  toUpdateInput,
  updateUser,
  updateUserParams,
} from '../users/index.ts';

// Changes that users make to their own account in the browser (contract/web.md §3).

/** Languages that other servers of this API know; the pages of this server are in English. */
const LANGUAGES = [
  ...['bg', 'cs_CZ', 'da_DK', 'de', 'en', 'eo', 'es', 'fil_PH', 'fr', 'gl_ES', 'id_ID', 'it', 'ja', 'ko', 'nb_NO'],
  ...['nl_NL', 'pl_PL', 'pt_BR', 'ro_RO', 'ru', 'si_LK', 'tr_TR', 'uk', 'zh_CN', 'zh_HK', 'zh_TW'],
] as const;

const { name, username, bio, location, pronouns, website_url, job_title, organization, private_profile } =
  updateUserParams;

const profileParams = {
  name,
  username,
  bio,
  location,
  pronouns,
  website_url,
  job_title,
  organization,
  public_email: describe(
    updateUserParams.public_email,
    'Email address that the profile shows: one of the confirmed addresses of the caller, or none.',
  ),
  commit_email: describe(
    updateUserParams.commit_email,
    'Author address of commits that the API creates: one of the confirmed addresses of the caller.',
  ),
  private_profile,
  preferred_language: describe(optional(oneOf(...LANGUAGES)), 'Language of the user; stored, without effect.'),
};

const ACCOUNT_ERRORS = { userNotFound: USER_NOT_FOUND, internalUser: FORBIDDEN, onlyAdministrator: FORBIDDEN } as const;

export const updateCurrentUser = endpoint({
  put: '/user',
  summary: 'Update your profile',
  description:
    'Changes the sent attributes of the caller; absent ones stay unchanged. A new username moves the personal ' +
    'namespace, and old project paths redirect.',
  access: browserSession(),
  params: profileParams,
  errors: { ...SAVE_ERRORS, ...ACCOUNT_ERRORS },
  uniqueErrors: SAVE_UNIQUE_ERRORS,
  activity: ['user_username_updated', 'user_name_updated'],
  response: ok(CurrentUser),
  async write(uow, { params }) {
    const { id } = uow.actor.user;
    const { preferred_language: language, ...profile } = params;
    const addressFailure = await checkAddresses(uow, id, profile);
    if (addressFailure !== null) return addressFailure;
    const input = toUpdateInput(profile);
    const details = { ...input.details, ...(language ? { preferred_language: language } : {}) };
    const updated = await updateUser(uow, id, { ...input, details }, null);
    return isFailure(updated) ? updated : requireRow(await findCurrentUser(uow, id));
  },
});

export const updateOwnPassword = endpoint({
  put: '/user/password',
  summary: 'Update your password',
  description:
    'Replaces the password of the caller. All other sessions of the caller end; tokens stay valid. A wrong current ' +
    'password counts like a failed sign-in: ten in a row lock the account for ten minutes.',
  access: browserSession(),
  params: {
    current_password: describe(required(string), 'The password until now.'),
    password: describe(required(string), 'The new password.'),
  },
  errors: { ...SAVE_ERRORS, ...ACCOUNT_ERRORS, tooMany: TOO_MANY_REQUESTS },
  activity: ['user_password_updated'],
  response: noContent,
  async handle({ caller, params, request }, services) {
    const result = await changePassword(services, request, caller, params);
    return isFailure(result) ? result : undefined;
  },
});

/** Fails if an address of the profile changes to one that the user has not confirmed. */
async function checkAddresses(
  uow: UnitOfWork,
  userId: number,
  params: Pick<ParameterValues<typeof profileParams>, 'public_email' | 'commit_email'>,
): Promise<Failure<'invalid'> | null> {
  const user = requireRow(await findUserById(uow, userId));
  for (const field of ['public_email', 'commit_email'] as const) {
    const address = params[field]?.trim() ?? '';
    // Texts that are not addresses fail together with the other fields.
    if (isValidAddress(address) && address !== user[field] && !(await isConfirmedAddress(uow, userId, address)))
      return invalid({ [field]: ['is not an email you own'] });
  }
  return null;
}

type PasswordServices = Pick<Services, 'database' | 'clock' | 'config' | 'log' | 'runUnitOfWork'>;

interface PasswordChange {
  readonly current_password: string;
  readonly password: string;
}

type ChangeResult = User | Failure<'tooMany'> | Awaited<ReturnType<typeof updateUser>>;

/**
 * Replaces the password of the caller and ends all other sessions. The current password is checked with the limits of a
 * sign-in, so that nobody can guess it in a browser that was left signed in.
 */
async function changePassword(
  services: PasswordServices,
  request: IncomingRequest,
  caller: SessionCaller,
  { current_password: currentPassword, password }: PasswordChange,
): Promise<ChangeResult> {
  const { database, runUnitOfWork } = services;
  const { id, username } = caller.user;
  const passwordServices = toPasswordCheckServices(services, request.clientAddress);
  const check = await limitFailedSignIns(services, request, (waiter) =>
    checkPassword(passwordServices, { login: username, password: currentPassword }, waiter),
  );
  if (isFailure(check)) return check.code === 'tooMany' ? check : invalid({ current_password: ['is invalid'] });
  const input = { password, keptSession: caller.sessionDigest, resetPrivateProfile: false };
  const newPassword = await prepareNewPassword(database.reader, id, input);
  return runUnitOfWork(caller, (uow) => updateUser(uow, id, input, newPassword));
}
