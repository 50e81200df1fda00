import type { RedirectReply } from '#http/endpoint/responses.ts';
import type { ClientRedirect, RejectedAuthorization } from './authorization-request.ts';

type AuthorizationError = RejectedAuthorization['error'] | 'access_denied';

const DESCRIPTIONS: Readonly<Record<AuthorizationError, string>> = {
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
  return redirectToClient(clientRedirect, { error, error_description: DESCRIPTIONS[error] });
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
