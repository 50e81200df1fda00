import { Type } from 'typebox';
import type { AccessToken, IssuedToken } from '#authentication/tokens/access-tokens.ts';
import { entity } from '#http/endpoint/entity.ts';
import { serializeToken, tokenFields } from '../personal-access-tokens/index.ts';

/** The representations of an impersonation token (contract/conventions.md §10). */

const fields = { ...tokenFields, impersonation: Type.Boolean() };

export const ImpersonationToken = entity('ImpersonationToken', fields).from((token: AccessToken, context) => ({
  ...serializeToken(token, context),
  impersonation: true,
}));

/** An impersonation token with its secret. Only the response to the creation contains it. */
export const ImpersonationTokenWithSecret = entity('ImpersonationTokenWithSecret', {
  ...fields,
  token: Type.String(),
}).from(({ tokenRow: token, secret }: IssuedToken, context) => ({
  ...serializeToken(token, context),
  impersonation: true,
  token: secret,
}));
