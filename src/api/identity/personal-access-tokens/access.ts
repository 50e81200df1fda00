import type { SignedInCaller } from '#authentication/caller.ts';
import type { InvalidToken } from '#authentication/credentials.ts';
import { revokeDescendants, type Scope } from '#authentication/tokens/access-tokens.ts';
import { type Access, type AccessCall, signedIn } from '#http/access/access.ts';
import { FORBIDDEN, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, searchExpression, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, date, dateTime, oneOf } from '#http/parameters/types.ts';

/** Admits signed-in callers. Use of a revoked token revokes its descendants. */
export function rotateTokenAccess(): Access<{ caller: SignedInCaller }> {
  return signedIn().onInvalidToken(revokeReusedChain);
}

/**
 * Revokes all tokens that descend by rotation from a revoked token, when that token is used for another rotation. Such use shows
 * that somebody has copied the token (contract/conventions.md §10 "Reuse detection").
 */
export async function revokeReusedChain({ services }: AccessCall, { revokedTokenId }: InvalidToken): Promise<void> {
  if (revokedTokenId !== null) await services.database.transaction((tx) => revokeDescendants(tx, revokedTokenId));
}

/** Returns the parameters of a new token. `scopes`: the scopes that the token may have. */
export const createTokenParams = (scopes: readonly Scope[]) => ({
  name: required(domainValidatedText(255)),
  description: optional(longText),
  scopes: required(commaSeparated(oneOf(...scopes))),
  expires_at: describe(
    optional(date),
    'Day on which the token expires. If absent, it is the latest date that the instance allows.',
  ),
});

/** Description of `expires_at` of rotations. */
export const ROTATION_EXPIRY =
  'Expiry date of the new token. If absent, the token expires in a week, or not at all if the instance requires no expiry.';

/** Filters and order of token lists. */
export const tokenFilters = {
  revoked: describe(optional(boolean), 'Only revoked tokens (`true`), or only tokens that were not revoked (`false`).'),
  state: describe(
    optional(oneOf('active', 'inactive')),
    '`active`: neither revoked nor expired. `inactive`: revoked or expired.',
  ),
  created_before: optional(dateTime),
  created_after: optional(dateTime),
  last_used_before: optional(dateTime),
  last_used_after: optional(dateTime),
  expires_before: describe(optional(date), 'Only tokens that expire before this date.'),
  expires_after: describe(optional(date), 'Only tokens that expire on this date or later.'),
  search: describe(optional(searchExpression), 'Part of the name, ignoring case.'),
  sort: describe(
    optional(string),
    '`created`, `expires`, `last_used` or `name`, followed by `_asc` or `_desc`. Other values order by id.',
  ),
};

// Errors that all kinds of tokens share (contract/conventions.md §10).

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

/** Errors of `issueToken`. */
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
