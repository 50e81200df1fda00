import { FORBIDDEN, USER_NOT_FOUND } from '#http/errors/error-messages.ts';

/** What tokens of all kinds are refused with (contract/conventions.md §10). */

/** The codes of `replaceToken`. */
export const CANNOT_ROTATE = {
  alreadyRevoked: [400, '400 Bad request - Token already revoked'],
  tooLate: [400, '400 Bad request - Expiration date must be before {latest}'],
} as const;

export const CANNOT_ISSUE = {
  userNotFound: USER_NOT_FOUND,
  internalUser: FORBIDDEN,
  wrongOrder: [422, '{problems}'],
} as const;

/** To whom it is nothing that such a token could exist. */
export const NOT_PERMITTED = [401, '401 Unauthorized'] as const;

/** The request came with a session or a token of OAuth. */
export const NOT_PERSONAL = [
  400,
  '400 Bad request - This endpoint requires token type to be a personal access token',
] as const;
