import { csrfTokenOf, isSessionSecret } from '#authentication/sessions/sessions.ts';
import { sameSecret } from '#security/tokens.ts';
import { pathPrefix } from './base-url.ts';
import { type Incoming, single } from './incoming.ts';

// The session cookie on its way in and out (contract/conventions.md §7 "Web sign-in and session cookie").

export const SESSION_COOKIE = '_service_session';

/** The secret of the session cookie; null without one, and for requests that a page of another origin makes. */
export function sessionSecret(request: Incoming): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  const value = cookieValue(cookie);
  return value === null || !isSessionSecret(value) || isForeign(request) ? null : value;
}

function cookieValue(header: string): string | null {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === SESSION_COOKIE) return pair.slice(equals + 1).trim();
  }
  return null;
}

/** Browsers name the origin of the page that asks, on every request that changes something at least. */
function isForeign(request: Incoming): boolean {
  const origin = single(request.headers.origin);
  return origin !== undefined && origin !== URL.parse(request.baseUrl)?.origin;
}

/** Does this token, of a form or a script, belong to the session? */
export function isCsrfToken(token: string | null | undefined, secret: string): boolean {
  return typeof token === 'string' && token !== '' && sameSecret(token, csrfTokenOf(secret));
}

/** The header X-CSRF-Token, or else the parameter `authenticity_token`. */
export function givenCsrfToken(request: Incoming, parameter: unknown): string | null {
  const token = single(request.headers['x-csrf-token']) || parameter;
  return typeof token === 'string' ? token : null;
}

/** `Set-Cookie` that hands the session over. It ends with the browser's own session; how long it may idle is our business. */
export function cookieOf(request: Incoming, secret: string): string {
  return `${SESSION_COOKIE}=${secret}; ${attributes(request)}`;
}

/** `Set-Cookie` that takes it away. */
export function noCookie(request: Incoming): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${attributes(request)}`;
}

function attributes({ baseUrl }: Incoming): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `Path=${pathPrefix(baseUrl) || '/'}; HttpOnly; SameSite=Lax${secure}`;
}
