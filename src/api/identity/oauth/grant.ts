import type { Act } from '../../../facts/act.ts';
import type { IssuedOAuthToken } from '../../../identity/oauth-tokens.ts';
import type { Refused } from '../../../refused.ts';
import type { Client } from './client.ts';

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

/** A token, or why there is none. */
export type Granted = IssuedOAuthToken | Refused<'invalidGrant' | 'invalidClient' | 'invalidScope' | 'missing'>;

/** One way to a token (contract/conventions.md §10 "OAuth 2.0"). */
export type Grant = (act: Act, request: TokenRequest, client: Client) => Promise<Granted>;
