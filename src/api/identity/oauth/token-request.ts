import type { IssuedOAuthToken } from '#authentication/oauth/tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import type { Failure } from '#runtime/failure.ts';
import { redirectUri } from './authorization-request.ts';
import { type Client, clientParams } from './client-authentication.ts';

/** What a client sends for a token, all texts as they came; each way to a token asks for its own. */
export const tokenParams = {
  grant_type: optional(string),
  ...clientParams,
  code: optional(string),
  redirect_uri: optional(redirectUri),
  code_verifier: optional(string),
  refresh_token: optional(string),
  username: optional(string),
  password: optional(string),
  scope: optional(string),
};

export type TokenRequest = ParameterValues<typeof tokenParams>;

/** A token, or why there is none. */
export type Granted = IssuedOAuthToken | Failure<'invalidGrant' | 'invalidClient' | 'invalidScope' | 'notFound'>;

/** Who asks for a token, and since when: what happened before is no race. */
export interface Asking {
  readonly client: Client;
  readonly at: string;
}

/** One way to a token (contract/conventions.md §10 "OAuth 2.0"). What it has written stays when it refuses. */
export type Grant = (uow: UnitOfWork, request: TokenRequest, asking: Asking) => Promise<Granted>;
