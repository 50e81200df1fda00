import { type Static, Type } from 'typebox';
import { shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import type { AccessToken, IssuedToken } from '../../../identity/access-tokens.ts';
import { tokenFields, tokenValues } from '../personal-access-tokens/index.ts';

/** The forms of an impersonation token (contract/conventions.md §10). */

const fields = { ...tokenFields, impersonation: Type.Boolean() };

export const ImpersonationToken = shape('ImpersonationToken', { ...fields, last_used_ips: Type.Array(Type.String()) });

/** The only answer that shows the secret. */
export const ImpersonationTokenWithSecret = shape('ImpersonationTokenWithSecret', { ...fields, token: Type.String() });

export function impersonationToken(token: AccessToken, base: Base): Static<typeof ImpersonationToken> {
  const last_used_ips = JSON.parse(token.last_used_ips) as string[];
  return { ...tokenValues(token, base), impersonation: true, last_used_ips };
}

export function issuedToken({ token, secret }: IssuedToken, base: Base): Static<typeof ImpersonationTokenWithSecret> {
  return { ...tokenValues(token, base), impersonation: true, token: secret };
}
