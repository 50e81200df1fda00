import { Type } from 'typebox';
import { scopesOf } from '#authentication/oauth/applications.ts';
import type { IssuedOAuthToken, OAuthTokenOfClient, OAuthTokenRow } from '#authentication/oauth/tokens.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';

/** What OAuth's own endpoints answer (contract/conventions.md §10 "OAuth 2.0"); moments are seconds since 1970. */

export const OAuthTokenPair = entity('OAuthTokenPair', {
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  /** Not of client credentials. */
  refresh_token: Type.Optional(Type.String()),
  scope: Type.String(),
  created_at: Type.Integer(),
}).from(({ token, secret, refreshSecret }: IssuedOAuthToken) => ({
  access_token: secret,
  token_type: 'Bearer',
  expires_in: token.expires_in,
  ...(refreshSecret === null ? {} : { refresh_token: refreshSecret }),
  scope: scopesOf(token).join(' '),
  created_at: issuedAt(token),
}));

export const OAuthTokenInfo = entity('OAuthTokenInfo', {
  /** null: of client credentials. */
  resource_owner_id: nullable(Type.Integer()),
  scope: Type.Array(Type.String()),
  expires_in: Type.Integer(),
  application: Type.Object({ uid: nullable(Type.String()) }),
  created_at: Type.Integer(),
  scopes: Type.Array(Type.String()),
  expires_in_seconds: Type.Integer(),
}).from((token: OAuthTokenOfClient, { now }) => {
  const left = expiresAt(token) - seconds(now);
  return {
    resource_owner_id: token.user_id,
    scope: scopesOf(token),
    expires_in: left,
    application: { uid: token.uid },
    created_at: issuedAt(token),
    scopes: scopesOf(token),
    expires_in_seconds: left,
  };
});

/** Of a token that counts for nothing, or not for this client, only that much. */
export const Introspection = entity('OAuthIntrospection', {
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(nullable(Type.String())),
  token_type: Type.Optional(Type.Literal('Bearer')),
  exp: Type.Optional(Type.Integer()),
  iat: Type.Optional(Type.Integer()),
}).from((token: OAuthTokenOfClient | null) => {
  if (token === null) return { active: false };
  return {
    active: true,
    scope: scopesOf(token).join(' '),
    client_id: token.uid,
    token_type: 'Bearer',
    exp: expiresAt(token),
    iat: issuedAt(token),
  };
});

/** `{}`: revoked, or nothing to revoke. */
export const Revoked = entity('OAuthRevoked', {}).from((_done: undefined) => ({}));

function issuedAt({ created_at }: OAuthTokenRow): number {
  return seconds(created_at);
}

function expiresAt(token: OAuthTokenRow): number {
  return issuedAt(token) + token.expires_in;
}

function seconds(moment: string): number {
  return Math.floor(Date.parse(moment) / 1000);
}
