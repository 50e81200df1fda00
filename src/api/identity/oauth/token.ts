import type { Database } from '../../../database/database.ts';
import type { IssuedOAuthToken } from '../../../identity/oauth-tokens.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { Client } from './client.ts';
import { grantToClient } from './client-credentials.ts';
import { exchangeCode } from './exchange-code.ts';
import { grantForPassword } from './password.ts';
import { refresh } from './refresh.ts';

/** What a client sends for a token, all texts as they came. */
export interface TokenRequest {
  readonly grant_type?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly redirect_uri?: string | null | undefined;
  readonly code_verifier?: string | null | undefined;
  readonly refresh_token?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly scope?: string | null | undefined;
}

export type GrantRefusal = 'invalidGrant' | 'invalidClient' | 'invalidScope' | 'missing';

export type Grant = (
  rooms: { readonly database: Database },
  request: TokenRequest,
  client: Client,
) => Promise<IssuedOAuthToken | Refused<GrantRefusal>>;

const GRANTS = new Map<string, Grant>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refresh],
  ['password', grantForPassword],
  ['client_credentials', grantToClient],
]);

/** Issues a token by the way that the client has named (contract/conventions.md §10 "OAuth 2.0"). */
export async function grantToken(
  rooms: { readonly database: Database },
  request: TokenRequest,
  client: Client,
): Promise<IssuedOAuthToken | Refused<GrantRefusal | 'unsupportedGrantType'>> {
  const { grant_type } = request;
  if (!grant_type) return refused('missing', { parameter: 'grant_type' });
  const grant = GRANTS.get(grant_type);
  return grant === undefined ? refused('unsupportedGrantType') : grant(rooms, request, client);
}
