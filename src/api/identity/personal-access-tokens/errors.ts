import { FORBIDDEN, USER_NOT_FOUND } from '#http/errors/error-messages.ts';

/** Errors that all kinds of tokens share (contract/conventions.md §10). */

/** Error if the token of the request lacks a scope of the new token. */
export const MISSING_SCOPE = [
  403,
  {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: '{scope}',
  },
] as const;

/** Errors of `replaceToken`. */
export const ROTATE_ERRORS = {
  missingScope: MISSING_SCOPE,
  alreadyRevoked: [400, '400 Bad request - Token already revoked'],
  expiryTooLate: [400, '400 Bad request - Expiration date must be before {latest}'],
} as const;

export const CREATE_TOKEN_ERRORS = {
  userNotFound: USER_NOT_FOUND,
  internalUser: FORBIDDEN,
  isImpersonated: FORBIDDEN,
  missingScope: MISSING_SCOPE,
  invalidToken: [422, '{problems}'],
} as const;

/** Response to callers who may not learn whether the token exists. */
export const NOT_PERMITTED = [401, '401 Unauthorized'] as const;

/** Error for a request that was authenticated by a session or an OAuth token. */
export const NOT_PERSONAL_TOKEN = [
  400,
  '400 Bad request - This endpoint requires token type to be a personal access token',
] as const;
