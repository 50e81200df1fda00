import type { PresentedCredential } from '#authentication/credentials.ts';
import type { RawParameters } from '../parameters/brackets.ts';
import { getCsrfToken, getSessionSecret, isCsrfToken } from './cookie.ts';
import { firstHeader, type IncomingRequest } from './incoming.ts';

/**
 * Returns the credential of a request, by the precedence of contract/conventions.md §7. Empty values count as absent. Ignores
 * HTTP Basic, DEPLOY-TOKEN and other schemes, and job and site tokens unless the endpoint accepts them.
 */
export function getPresentedCredentials(
  request: IncomingRequest,
  rawParams: RawParameters,
  { allowJobToken, allowSiteToken } = { allowJobToken: false, allowSiteToken: false },
): PresentedCredential | null {
  const siteToken = allowSiteToken ? getSiteToken(request) : undefined;
  if (siteToken !== undefined) return { scheme: 'site', secret: siteToken };
  const bearer =
    getTextParameter(rawParams, 'access_token') ??
    getBearerToken(request) ??
    getTextParameter(rawParams, 'bearer_token');
  if (bearer !== undefined) return { scheme: allowJobToken ? 'bearerOrJob' : 'bearer', secret: bearer };
  const privateToken = getTextParameter(rawParams, 'private_token') ?? getHeader(request, 'private-token');
  if (privateToken !== undefined) return { scheme: 'private', secret: privateToken };
  const jobToken = allowJobToken
    ? (getTextParameter(rawParams, 'job_token') ?? getHeader(request, 'job-token'))
    : undefined;
  if (jobToken !== undefined) return { scheme: 'job', secret: jobToken };
  return request.headers.cookie === undefined ? null : getPresentedSession(request, rawParams);
}

/** Returns the session credential. Writes require a CSRF token; without it the cookie is ignored. */
function getPresentedSession(request: IncomingRequest, rawParams: RawParameters): PresentedCredential | null {
  const secret = getSessionSecret(request);
  if (secret === null) return null;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && !isCsrfToken(getCsrfToken(request, rawParams.authenticity_token), secret)) return null;
  return { scheme: 'session', secret };
}

/** Returns an undeclared parameter as text; numbers and booleans are converted, empty values count as absent. */
export function getTextParameter(rawParams: RawParameters, name: string): string | undefined {
  const value = rawParams[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function getHeader(request: IncomingRequest, name: string): string | undefined {
  return firstHeader(request.headers[name]) || undefined;
}

/** Returns the token of `Authorization: Bearer`; undefined without one. */
export function getBearerToken(request: IncomingRequest): string | undefined {
  const authorization = firstHeader(request.headers.authorization);
  const match = authorization === undefined ? null : /^Bearer +([^ ].*)$/i.exec(authorization);
  return match?.[1]?.trim() || undefined;
}

/**
 * Returns the token of a replication site, `Authorization: GL-Geo ...` (contract/operations.md §3.3): '' for the scheme without
 * a token, undefined for another scheme.
 */
export function getSiteToken(request: IncomingRequest): string | undefined {
  const [, token] = /^GL-Geo(?: (.*))?$/i.exec(firstHeader(request.headers.authorization) ?? 'none') ?? [null, null];
  return token === null ? undefined : (token ?? '').trim();
}

/** Returns the user name and password of HTTP Basic, for git, LFS and OAuth clients; null for anything else. */
export function getBasicCredentials(request: IncomingRequest): { username: string; password: string } | null {
  const match = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(firstHeader(request.headers.authorization) ?? '');
  if (match === null) return null;
  // No name or secret contains NUL, and PostgreSQL rejects it in queries.
  const decoded = Buffer.from(match[1]!, 'base64').toString('utf8').replaceAll('\u0000', '\ufffd');
  const colonIndex = decoded.indexOf(':');
  return colonIndex === -1 ? null : { username: decoded.slice(0, colonIndex), password: decoded.slice(colonIndex + 1) };
}
