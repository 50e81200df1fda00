import { createHmac, randomUUID } from 'node:crypto';

/** What a site proves itself with to its primary. */
export interface SiteKeys {
  readonly accessKey: string;
  readonly secret: string;
}

/** Seconds that a proof holds: a question is asked at once, a repository may be fetched for hours. */
const FOR_A_QUESTION = 60;
const FOR_A_FETCH = 7_200;

/** `GL-Geo` credentials for what `data` says and nothing else (contract/operations.md §3.3). */
export function siteAuthorization(keys: SiteKeys, data: object, now: Date, seconds = FOR_A_QUESTION): string {
  const issued = Math.floor(now.getTime() / 1000);
  const claims = { data: JSON.stringify(data), jti: randomUUID(), iat: issued, nbf: issued, exp: issued + seconds };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims].map(encoded).join('.');
  const signature = createHmac('sha256', keys.secret).update(signed).digest('base64url');
  return `GL-Geo ${keys.accessKey}:${signed}.${signature}`;
}

/** The same for git, which takes its time. */
export function fetchAuthorization(keys: SiteKeys, path: string, now: Date): string {
  return siteAuthorization(keys, { scope: path }, now, FOR_A_FETCH);
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
