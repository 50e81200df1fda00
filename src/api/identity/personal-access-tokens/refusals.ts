import { FORBIDDEN, USER_NOT_FOUND } from '../../../http/refusals/texts.ts';

/** What tokens of all kinds are refused with (contract/conventions.md §10). */

/** An order of a new token: the codes of `checkOrder`. */
export const WRONG_ORDER = {
  tooLate: [422, 'Expires at must be before {latest}'],
  noScopes: [422, "Scopes can't be blank"],
  noName: [422, "Name can't be blank"],
  longName: [422, 'Name is too long (maximum is 255 characters)'],
} as const;

/** The codes of `replaceToken`. */
export const CANNOT_ROTATE = {
  alreadyRevoked: [400, '400 Bad request - Token already revoked'],
  tooLate: [400, '400 Bad request - Expires at must be before {latest}'],
} as const;

export const CANNOT_ISSUE = { userNotFound: USER_NOT_FOUND, internalUser: FORBIDDEN, ...WRONG_ORDER } as const;

/** To whom it is nothing that such a token could exist. */
export const NOT_PERMITTED = [401, '401 Unauthorized'] as const;

/** The request came with a session or a token of OAuth. */
export const NOT_PERSONAL = [
  400,
  '400 Bad request - This endpoint requires token type to be a personal access token',
] as const;
