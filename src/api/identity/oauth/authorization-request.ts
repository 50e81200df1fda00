import {
  findApplication,
  type OAuthApplication,
  parseRedirectUris,
  parseScopes,
} from '#authentication/oauth/applications.ts';
import type { CodeChallenge } from '#authentication/oauth/authorization-codes.ts';
import type { Reader } from '#database/database.ts';
import type { RedirectReply } from '#http/endpoint/responses.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { limitedText, string } from '#http/parameters/texts.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';

/**
 * Parameter type of a redirect URI. Its limit is above the 8,000 characters of a registered URI, so that a longer URI gets
 * the error of an unknown one.
 */
export const redirectUriType = limitedText(32_000);

/** Parameters of an authorization request, not yet validated (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export const authorizationParams = {
  client_id: describe(optional(string), 'The `application_id` of the application.'),
  redirect_uri: describe(
    optional(redirectUriType),
    'One of the redirect URIs of the application, exactly as registered.',
  ),
  response_type: describe(optional(string), 'Must be `code`.'),
  scope: describe(optional(string), 'Scopes, separated by spaces; if absent, all scopes of the application.'),
  state: describe(optional(string), 'Text that the redirect returns to the application unchanged.'),
  code_challenge: describe(optional(string), 'PKCE challenge, required for applications that are not confidential.'),
  code_challenge_method: describe(optional(string), '`S256` or `plain`, which is the default.'),
};

export type AuthorizationRequest = ParameterValues<typeof authorizationParams>;

/** Destination of the browser, which is redirected with the result. */
interface ClientRedirect {
  readonly redirectUri: string;
  readonly state: string | null;
}

/** A valid request, for which the user is asked for consent. */
export interface Authorization {
  readonly kind: 'valid';
  readonly application: OAuthApplication;
  readonly clientRedirect: ClientRedirect;
  readonly scopes: readonly string[];
  readonly challenge: CodeChallenge | null;
}

/** An invalid request of a known client: the error is sent to a redirect URI that the client has registered. */
interface RejectedAuthorization {
  readonly kind: 'rejected';
  readonly clientRedirect: ClientRedirect;
  readonly error: 'invalid_scope' | 'unsupported_response_type' | 'invalid_request';
}

/** The client or redirect URI is unknown: the user sees an error page and is not redirected. */
export interface UntrustedRequest {
  readonly kind: 'untrusted';
  readonly invalidField: 'client' | 'redirectUri';
}

/** Validates an authorization request of a client. A client without a secret needs a PKCE challenge (RFC 9700 §2.1.1). */
export async function validateAuthorization(
  db: Reader,
  request: AuthorizationRequest,
): Promise<Authorization | RejectedAuthorization | UntrustedRequest> {
  const application = await findApplication(db, request.client_id ?? '');
  if (application === null) return { kind: 'untrusted', invalidField: 'client' };
  const redirectUri = parseRedirectUris(application).find((uri) => uri === request.redirect_uri);
  if (redirectUri === undefined) return { kind: 'untrusted', invalidField: 'redirectUri' };
  const clientRedirect = { redirectUri, state: request.state ?? null };
  const reject = (error: RejectedAuthorization['error']) => ({ kind: 'rejected', clientRedirect, error }) as const;
  if (!request.response_type) return reject('invalid_request');
  if (request.response_type !== 'code') return reject('unsupported_response_type');
  const challenge = parseChallenge(request);
  const lacksChallenge = challenge === null && !application.confidential;
  if (challenge === 'invalid' || lacksChallenge) return reject('invalid_request');
  const applicationScopes = parseScopes(application);
  const scopes = parseRequestedScopes(request.scope, { allowed: applicationScopes, defaults: applicationScopes });
  if (isFailure(scopes)) return reject('invalid_scope');
  return { kind: 'valid', application, clientRedirect, scopes, challenge };
}

/** Parses the PKCE challenge; null if there is none. The default method is `plain` (RFC 7636 §4.3). */
function parseChallenge({
  code_challenge,
  code_challenge_method,
}: AuthorizationRequest): CodeChallenge | null | 'invalid' {
  const challenge = code_challenge || null;
  const method = code_challenge_method || 'plain';
  if (challenge === null) return code_challenge_method ? 'invalid' : null;
  const isKnownMethod = method === 'S256' || method === 'plain';
  return isKnownMethod && /^[\w.~-]{43,128}$/.test(challenge) ? { challenge, method } : 'invalid';
}

type AuthorizationError = RejectedAuthorization['error'] | 'access_denied';

const ERROR_DESCRIPTIONS: Readonly<Record<AuthorizationError, string>> = {
  access_denied: 'The resource owner or authorization server denied the request.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  invalid_request: 'The request is missing a required parameter or has an unsupported parameter value.',
  unsupported_response_type: 'The authorization server does not support this response type.',
};

/** Redirects (302) to the client with the authorization code. */
export function redirectWithCode(clientRedirect: ClientRedirect, code: string): RedirectReply {
  return redirectToClient(clientRedirect, { code });
}

/** Redirects (302) to the client with an error (RFC 6749 §4.1.2.1). */
export function redirectWithError(clientRedirect: ClientRedirect, error: AuthorizationError): RedirectReply {
  return redirectToClient(clientRedirect, { error, error_description: ERROR_DESCRIPTIONS[error] });
}

/** Appends the parameters and the unchanged `state` to the query of the redirect URI. */
function redirectToClient(
  { redirectUri, state }: ClientRedirect,
  params: Readonly<Record<string, string>>,
): RedirectReply {
  const query = new URLSearchParams({ ...params, ...(state === null ? {} : { state }) });
  return { location: `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`, headers: NO_STORE_HEADERS };
}

const NO_STORE_HEADERS = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

/** The scopes that a client may get. */
interface ScopeOptions {
  readonly allowed: readonly string[];
  /** Scopes that are granted if the client requests none. */
  readonly defaults: readonly string[];
}

/** Parses the requested scopes, separated by white space. Fails if one of them is not allowed. */
export function parseRequestedScopes(
  requestedScope: string | null | undefined,
  { allowed, defaults }: ScopeOptions,
): readonly string[] | Failure<'invalidScope'> {
  const scopes = (requestedScope ?? '').split(/\s+/).filter((scope) => scope !== '');
  if (scopes.length === 0) return defaults;
  return scopes.every((scope) => allowed.includes(scope)) ? [...new Set(scopes)] : fail('invalidScope');
}
