import type { IssuedOAuthToken } from '#authentication/oauth/tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import type { Failure } from '#runtime/failure.ts';
import { redirectUri } from './authorization-request.ts';
import { type ClientStatus, clientParams } from './client-authentication.ts';

/** Parameters of a token request, not yet validated; each grant type uses its own. */
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

/** An issued token, or the error. */
export type GrantResult = IssuedOAuthToken | Failure<'invalidGrant' | 'invalidClient' | 'invalidScope' | 'notFound'>;

/** Context of a token request. */
export interface GrantContext {
  readonly client: ClientStatus;
  /** Timestamp of the request. Uses of a code or token before it are replays, not races with this request. */
  readonly startedAt: string;
}

/** A grant type (contract/conventions.md §10 "OAuth 2.0"). Its writes are committed even if it fails. */
export type Grant = (uow: UnitOfWork, request: TokenRequest, context: GrantContext) => Promise<GrantResult>;
