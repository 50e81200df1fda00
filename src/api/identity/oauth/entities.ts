import { Type } from 'typebox';
import { parseScopes } from '#authentication/oauth/applications.ts';
import type { IssuedOAuthToken, OAuthTokenRow, OAuthTokenWithClient } from '#authentication/oauth/tokens.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';

// Responses of the OAuth endpoints (contract/conventions.md §10 "OAuth 2.0"). Timestamps are Unix time in seconds.

/** A new access token with its refresh token. */
export const OAuthTokenPair = entity('OAuthTokenPair', {
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.' }),
  refresh_token: Type.Optional(Type.String({ description: 'Absent for client credentials.' })),
  scope: Type.String({ description: 'Scopes, separated by spaces.' }),
  created_at: Type.Integer({ description: 'Unix time in seconds.' }),
}).from(({ tokenRow: token, accessToken, refreshToken }: IssuedOAuthToken) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: token.expires_in,
  ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
  scope: parseScopes(token).join(' '),
  created_at: getIssuedAt(token),
}));

/** The fields of a token that its holder may see. */
export const OAuthTokenInfo = entity('OAuthTokenInfo', {
  resource_owner_id: nullable(Type.Integer({ description: 'Id of the user; null for client credentials.' })),
  scope: Type.Array(Type.String()),
  expires_in: Type.Integer({ description: 'Seconds until the token expires.' }),
  application: Type.Object({
    uid: nullable(Type.String({ description: 'The `client_id`; null for a token without application.' })),
  }),
  created_at: Type.Integer({ description: 'Unix time in seconds.' }),
  scopes: Type.Array(Type.String(), { description: 'The same values as `scope`.' }),
  expires_in_seconds: Type.Integer({ description: 'The same value as `expires_in`.' }),
}).from((token: OAuthTokenWithClient, { now }) => {
  const secondsLeft = getExpiresAt(token) - toUnixSeconds(now);
  return {
    resource_owner_id: token.user_id,
    scope: parseScopes(token),
    expires_in: secondsLeft,
    application: { uid: token.uid },
    created_at: getIssuedAt(token),
    scopes: parseScopes(token),
    expires_in_seconds: secondsLeft,
  };
});

/** Contains only `active: false` if the token is invalid or belongs to another client. */
export const Introspection = entity('OAuthIntrospection', {
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(nullable(Type.String())),
  token_type: Type.Optional(Type.Literal('Bearer')),
  exp: Type.Optional(Type.Integer({ description: 'Expiry, as Unix time in seconds.' })),
  iat: Type.Optional(Type.Integer({ description: 'Creation, as Unix time in seconds.' })),
}).from((token: OAuthTokenWithClient | null) => {
  if (token === null) return { active: false };
  return {
    active: true,
    scope: parseScopes(token).join(' '),
    client_id: token.uid,
    token_type: 'Bearer',
    exp: getExpiresAt(token),
    iat: getIssuedAt(token),
  };
});

/** `{}`, also if there was nothing to revoke (RFC 7009). */
export const RevokedToken = entity('OAuthRevoked', {}).from((_result: undefined) => ({}));

function getIssuedAt({ created_at }: OAuthTokenRow): number {
  return toUnixSeconds(created_at);
}

function getExpiresAt(token: OAuthTokenRow): number {
  return getIssuedAt(token) + token.expires_in;
}

function toUnixSeconds(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}
