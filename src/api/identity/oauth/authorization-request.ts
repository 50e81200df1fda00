import {
  findApplication,
  type OAuthApplication,
  redirectUrisOf,
  scopesOf,
} from '#authentication/oauth/applications.ts';
import type { Challenge } from '#authentication/oauth/authorization-codes.ts';
import type { Reader } from '#database/database.ts';
import { optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { string, textOf } from '#http/parameters/texts.ts';
import { isFailure } from '#runtime/failure.ts';
import { askedScopes } from './requested-scopes.ts';

/** An application registers 8,000 characters of them. */
export const redirectUri = textOf(32_000);

/** What a client sends a browser with, all texts as they came (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export const authorizationParams = {
  client_id: optional(string),
  redirect_uri: optional(redirectUri),
  response_type: optional(string),
  scope: optional(string),
  state: optional(string),
  code_challenge: optional(string),
  code_challenge_method: optional(string),
};

export type AuthorizationRequest = ParameterValues<typeof authorizationParams>;

/** Where the browser goes with the answer. */
export interface ReturnAddress {
  readonly redirectUri: string;
  readonly state: string | null;
}

/** What a user is asked to let an application have. */
export interface Authorization {
  readonly kind: 'asked';
  readonly application: OAuthApplication;
  readonly to: ReturnAddress;
  readonly scopes: readonly string[];
  readonly challenge: Challenge | null;
}

/** The client is told of it, at an address that is known to be its own. */
export interface RefusedAuthorization {
  readonly kind: 'refused';
  readonly to: ReturnAddress;
  readonly error: 'invalid_scope' | 'unsupported_response_type' | 'invalid_request';
}

/** Nobody knows whose address it is: the user is told of it, and sent nowhere. */
export interface StrayRequest {
  readonly kind: 'stray';
  readonly wrong: 'client' | 'redirectUri';
}

/** What does a client ask for, and may it? */
export async function readAuthorization(
  db: Reader,
  request: AuthorizationRequest,
): Promise<Authorization | RefusedAuthorization | StrayRequest> {
  const application = await findApplication(db, request.client_id ?? '');
  if (application === null) return { kind: 'stray', wrong: 'client' };
  const redirectUri = redirectUrisOf(application).find((uri) => uri === request.redirect_uri);
  if (redirectUri === undefined) return { kind: 'stray', wrong: 'redirectUri' };
  const to = { redirectUri, state: request.state ?? null };
  const refuse = (error: RefusedAuthorization['error']) => ({ kind: 'refused', to, error }) as const;
  if (!request.response_type) return refuse('invalid_request');
  if (request.response_type !== 'code') return refuse('unsupported_response_type');
  const challenge = challengeOf(request);
  if (challenge === 'invalid') return refuse('invalid_request');
  const own = scopesOf(application);
  const scopes = askedScopes(request.scope, { allowed: own, usual: own });
  if (isFailure(scopes)) return refuse('invalid_scope');
  return { kind: 'asked', application, to, scopes, challenge };
}

/** A challenge without a method is a plain one (RFC 7636 §4.3). */
function challengeOf({ code_challenge, code_challenge_method }: AuthorizationRequest): Challenge | null | 'invalid' {
  const challenge = code_challenge || null;
  const method = code_challenge_method || 'plain';
  if (challenge === null) return code_challenge_method ? 'invalid' : null;
  const isMethod = method === 'S256' || method === 'plain';
  return isMethod && /^[\w.~-]{43,128}$/.test(challenge) ? { challenge, method } : 'invalid';
}
