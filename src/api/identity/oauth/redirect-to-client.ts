import type { RedirectReply } from '#http/endpoint/responses.ts';
import type { RefusedAuthorization, ReturnAddress } from './authorization-request.ts';

type AuthorizationError = RefusedAuthorization['error'] | 'access_denied';

const DESCRIPTIONS: Readonly<Record<AuthorizationError, string>> = {
  access_denied: 'The resource owner or authorization server denied the request.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  invalid_request: 'The request is missing a required parameter or has an unsupported parameter value.',
  unsupported_response_type: 'The authorization server does not support this response type.',
};

/** 302 to the client with what it has asked for. */
export function withCode(to: ReturnAddress, code: string): RedirectReply {
  return returnTo(to, { code });
}

/** 302 to the client with why not (RFC 6749 §4.1.2.1). */
export function withError(to: ReturnAddress, error: AuthorizationError): RedirectReply {
  return returnTo(to, { error, error_description: DESCRIPTIONS[error] });
}

/** The client's own query stays in front; `state` comes back as it was. */
function returnTo({ redirectUri, state }: ReturnAddress, answer: Readonly<Record<string, string>>): RedirectReply {
  const query = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }) });
  return { location: `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`, headers: NOT_KEPT };
}

const NOT_KEPT = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
