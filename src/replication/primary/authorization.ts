import { createHmac, randomUUID } from 'node:crypto';

/** Credentials of a site at its primary. */
export interface SiteKeys {
  readonly accessKey: string;
  readonly secret: string;
}

/** Seconds for which a token is valid: API requests take little time, fetches may take hours. */
const REQUEST_VALIDITY_SECONDS = 60;
const FETCH_VALIDITY_SECONDS = 7_200;

/** Returns an `Authorization` value (`GL-Geo`) that is valid only for `data` (contract/operations.md §3.3). */
export function createSiteAuthorization(
  keys: SiteKeys,
  data: object,
  now: Date,
  validitySeconds = REQUEST_VALIDITY_SECONDS,
): string {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const claims = {
    data: JSON.stringify(data),
    jti: randomUUID(),
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + validitySeconds,
  };
  const signedText = [{ alg: 'HS256', typ: 'JWT' }, claims].map(encodePart).join('.');
  const signature = createHmac('sha256', keys.secret).update(signedText).digest('base64url');
  return `GL-Geo ${keys.accessKey}:${signedText}.${signature}`;
}

/** Returns an `Authorization` value for a git fetch, which is valid longer. */
export function createFetchAuthorization(keys: SiteKeys, path: string, now: Date): string {
  return createSiteAuthorization(keys, { scope: path }, now, FETCH_VALIDITY_SECONDS);
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
