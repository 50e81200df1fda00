import type { Presented } from '#authentication/credentials.ts';
import type { Raw } from '../parameters/brackets.ts';
import { givenCsrfToken, isCsrfToken, sessionSecret } from './cookie.ts';
import { type Incoming, single } from './incoming.ts';

/**
 * The credential that a request presents, by the precedence of contract/conventions.md §7. Empty values count as not
 * given; Basic credentials, DEPLOY-TOKEN and other schemes are not looked at here, nor are the token of a job and the proof of a
 * replication site where the endpoint takes none.
 */
export function presentedCredentials(
  request: Incoming,
  given: Raw,
  { allowJobToken: takesJobToken, allowSiteToken: takesSiteProof } = { allowJobToken: false, allowSiteToken: false },
): Presented | null {
  const proof = takesSiteProof ? siteProof(request) : undefined;
  if (proof !== undefined) return { way: 'site', secret: proof };
  const bearing = givenText(given, 'access_token') ?? bearerToken(request) ?? givenText(given, 'bearer_token');
  if (bearing !== undefined) return { way: takesJobToken ? 'bearerOrJob' : 'bearer', secret: bearing };
  const owned = givenText(given, 'private_token') ?? header(request, 'private-token');
  if (owned !== undefined) return { way: 'private', secret: owned };
  const ofJob = takesJobToken ? (givenText(given, 'job_token') ?? header(request, 'job-token')) : undefined;
  if (ofJob !== undefined) return { way: 'job', secret: ofJob };
  return request.headers.cookie === undefined ? null : presentedSession(request, given);
}

/** A cookie reads by itself; to write, its page has to show that it is ours. Otherwise it counts as not given. */
function presentedSession(request: Incoming, given: Raw): Presented | null {
  const secret = sessionSecret(request);
  if (secret === null) return null;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads && !isCsrfToken(givenCsrfToken(request, given.authenticity_token), secret)) return null;
  return { way: 'session', secret };
}

/** A parameter that no endpoint declares, read as texts are: numbers and booleans become theirs. Empty ones count as not given. */
export function givenText(given: Raw, name: string): string | undefined {
  const value = given[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function header(request: Incoming, name: string): string | undefined {
  return single(request.headers[name]) || undefined;
}

/** The token of `Authorization: Bearer`; whose it is, is the route's to say. */
export function bearerToken(request: Incoming): string | undefined {
  const authorization = single(request.headers.authorization);
  const match = authorization === undefined ? null : /^Bearer +([^ ].*)$/i.exec(authorization);
  return match?.[1]?.trim() || undefined;
}

/** What a replication site proves itself by, `Authorization: GL-Geo ...` (contract/operations.md §3.3). */
export function siteProof(request: Incoming): string | undefined {
  const [, proof] = /^GL-Geo(?: (.*))?$/i.exec(single(request.headers.authorization) ?? 'none') ?? [null, null];
  return proof === null ? undefined : (proof ?? '').trim();
}

/** User name and password of HTTP Basic, for the routes that take them (git, LFS, clients of OAuth). */
export function basicCredentials(request: Incoming): { username: string; password: string } | null {
  const match = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(single(request.headers.authorization) ?? '');
  if (match === null) return null;
  // No name and no secret has a NUL, and PostgreSQL looks for none that has.
  const decoded = Buffer.from(match[1] as string, 'base64')
    .toString('utf8')
    .replaceAll('\u0000', '\ufffd');
  const colon = decoded.indexOf(':');
  return colon === -1 ? null : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
