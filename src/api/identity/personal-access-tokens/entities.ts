import { type Static, Type } from 'typebox';
import { day, moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { type AccessToken, type IssuedToken, isActive } from '../../../identity/access-tokens.ts';

/** The forms of a personal access token (contract/conventions.md §10). */

/** What tokens of all kinds tell. */
export const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: moment,
  description: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: nullable(moment),
  active: Type.Boolean(),
  expires_at: nullable(day),
};

export const PersonalAccessToken = shape('PersonalAccessToken', {
  ...tokenFields,
  last_used_ips: Type.Array(Type.String()),
});

/** The only answers that show the secret. */
export const PersonalAccessTokenWithSecret = shape('PersonalAccessTokenWithSecret', {
  ...tokenFields,
  token: Type.String(),
});

export function personalAccessTokens(tokens: readonly AccessToken[], base: Base): Static<typeof PersonalAccessToken>[] {
  return tokens.map((token) => ({
    ...tokenValues(token, base),
    last_used_ips: JSON.parse(token.last_used_ips) as string[],
  }));
}

export function issuedToken({ token, secret }: IssuedToken, base: Base): Static<typeof PersonalAccessTokenWithSecret> {
  return { ...tokenValues(token, base), token: secret };
}

export function tokenValues(token: AccessToken, base: Base) {
  return {
    id: token.id,
    name: token.name,
    revoked: token.revoked,
    created_at: token.created_at,
    description: token.description,
    scopes: JSON.parse(token.scopes) as string[],
    user_id: token.user_id,
    last_used_at: token.last_used_at,
    active: isActive(token, base.now.slice(0, 10)),
    expires_at: token.expires_at,
  };
}
