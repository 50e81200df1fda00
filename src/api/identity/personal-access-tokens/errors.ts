import { FORBIDDEN, USER_NOT_FOUND } from '#http/errors/error-messages.ts';

/** Errors that all kinds of tokens share (contract/conventions.md §10). */

/** The errors of `replaceToken`. */
export const ROTATE_ERRORS = {
  alreadyRevoked: [400, '400 Bad request - Token already revoked'],
  tooLate: [400, '400 Bad request - Expiration date must be before {latest}'],
} as const;

export const CREATE_TOKEN_ERRORS = {
  userNotFound: USER_NOT_FOUND,
  internalUser: FORBIDDEN,
  wrongOrder: [422, '{problems}'],
} as const;

/** Answered to callers who may not learn whether the token exists. */
export const NOT_PERMITTED = [401, '401 Unauthorized'] as const;

/** The request was authenticated by a session or an OAuth token. */
export const NOT_PERSONAL_TOKEN = [
  400,
  '400 Bad request - This endpoint requires token type to be a personal access token',
] as const;
