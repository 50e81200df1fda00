import { Type } from 'typebox';
import { type AccessToken, type IssuedToken, isActiveToken } from '#authentication/tokens/access-tokens.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable } from '#http/endpoint/responses.ts';

/** Fields of tokens of all kinds (contract/conventions.md §10). */
export const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: dateTime,
  description: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: nullable(dateTime),
  active: Type.Boolean({ description: 'Whether the token is neither revoked nor expired.' }),
  expires_at: nullable(date),
};

/** A token with the IP addresses that used it. */
export const PersonalAccessToken = entity('PersonalAccessToken', {
  ...tokenFields,
  last_used_ips: Type.Array(Type.String(), { description: 'Up to five IP addresses that used it last, newest first.' }),
}).from((token: AccessToken, context) => ({
  ...serializeToken(token, context),
  last_used_ips: JSON.parse(token.last_used_ips) as string[],
}));

/** A token with its secret. Only the responses to creation and rotation contain it. */
export const PersonalAccessTokenWithSecret = entity('PersonalAccessTokenWithSecret', {
  ...tokenFields,
  token: Type.String(),
}).from(({ tokenRow: token, secret }: IssuedToken, context) => ({ ...serializeToken(token, context), token: secret }));

/** Serializes the fields of tokens of all kinds. */
export function serializeToken(token: AccessToken, context: SerializationContext) {
  return {
    id: token.id,
    name: token.name,
    revoked: token.revoked,
    created_at: token.created_at,
    description: token.description,
    scopes: JSON.parse(token.scopes) as string[],
    user_id: token.user_id,
    last_used_at: token.last_used_at,
    active: isActiveToken(token, context.db.today),
    expires_at: token.expires_at,
  };
}
