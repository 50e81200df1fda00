import { deriveCsrfToken, isSessionSecret } from '#authentication/sessions/sessions.ts';
import { secretsEqual } from '#security/tokens.ts';
import { firstHeader, getPathPrefix, type IncomingRequest } from './incoming.ts';

// The session cookie (contract/conventions.md §7 "Web sign-in and session cookie").

export const SESSION_COOKIE = '_service_session';

/** Returns the secret of the session cookie; null without one, and for cross-origin requests. */
export function getSessionSecret(request: IncomingRequest): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  const value = findCookieValue(cookie);
  return value === null || !isSessionSecret(value) || isCrossOrigin(request) ? null : value;
}

function findCookieValue(header: string): string | null {
  for (const pair of header.split(';')) {
    const equalsIndex = pair.indexOf('=');
    if (equalsIndex !== -1 && pair.slice(0, equalsIndex).trim() === SESSION_COOKIE)
      return pair.slice(equalsIndex + 1).trim();
  }
  return null;
}

/**
 * Returns whether a page of another origin makes the request. Browsers send Origin at least with every writing request.
 */
function isCrossOrigin(request: IncomingRequest): boolean {
  const origin = firstHeader(request.headers.origin);
  return origin !== undefined && origin !== URL.parse(request.baseUrl)?.origin;
}

/** Returns whether this token belongs to the session. */
export function isCsrfToken(token: string | null | undefined, secret: string): boolean {
  return typeof token === 'string' && token !== '' && secretsEqual(token, deriveCsrfToken(secret));
}

/** Returns the header X-CSRF-Token, or else the parameter `authenticity_token`. */
export function getCsrfToken(request: IncomingRequest, parameter: unknown): string | null {
  const token = firstHeader(request.headers['x-csrf-token']) || parameter;
  return typeof token === 'string' ? token : null;
}

/** Returns the `Set-Cookie` of a session. It has no expiry: it ends with the browser session, and the server limits its idle time. */
export function createSessionCookie(request: IncomingRequest, secret: string): string {
  return `${SESSION_COOKIE}=${secret}; ${formatAttributes(request)}`;
}

/** Returns the `Set-Cookie` that deletes the session cookie. */
export function createExpiredSessionCookie(request: IncomingRequest): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${formatAttributes(request)}`;
}

function formatAttributes({ baseUrl }: IncomingRequest): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `Path=${getPathPrefix(baseUrl) || '/'}; HttpOnly; SameSite=Lax${secure}`;
}
