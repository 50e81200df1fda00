import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { inCidrs, parseCidr } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { decrypt } from '#security/encryption.ts';
import { digestToken } from '#security/tokens.ts';
import { readSettings } from '#settings/settings.ts';
import { isObject, type JsonObject } from '#text/json-object.ts';
import type { CallerSite } from '../caller.ts';

/** How replication sites prove themselves (contract/operations.md §3.3): `GL-Geo <access_key>:<jwt>`. */

/** By so much may the clocks of two sites differ, in seconds. */
const LEEWAY = 60;

// index: geo_sites_by_access_key
const siteByKey = prepare((db, value: Params<{ digest: string }>) =>
  db
    .selectFrom('geo_sites')
    .select(['id', 'enabled', 'secret_access_key'])
    .where('access_key_digest', '=', value('digest'))
    .where('secret_access_key', 'is not', null),
);

interface SiteServices {
  readonly reader: Reader;
  readonly secretKey: () => Promise<KeyObject>;
  readonly now: Date;
}

/** Where the secret of a site is kept, for its encryption. */
export const placeOfSecret = (siteId: number): string => `geo_sites.secret_access_key:${siteId}`;

/**
 * The site whose proof this is, enabled or not; what it may do with it is for its `data` to say. `skewed`: it is right but
 * for its time.
 */
export async function findSiteByProof(
  { reader, secretKey, now }: SiteServices,
  proof: string,
  address: string,
): Promise<CallerSite | 'unknown' | 'skewed'> {
  const colon = proof.indexOf(':');
  const row = colon < 1 ? undefined : await siteByKey.first(reader, { digest: digestToken(proof.slice(0, colon)) });
  if (row === undefined || row.secret_access_key === null) return 'unknown';
  const secret = decrypt(await secretKey(), row.secret_access_key, placeOfSecret(row.id));
  const claims = claimsOf(proof.slice(colon + 1), secret);
  if (claims === null || !(await isAllowedAddress(reader, address))) return 'unknown';
  if (!isWithin(claims, now.getTime() / 1000)) return 'skewed';
  return { id: row.id, enabled: row.enabled, data: claims.data };
}

async function isAllowedAddress(reader: Reader, address: string): Promise<boolean> {
  const { geo_node_allowed_ips: allowed } = await readSettings(reader);
  const ranges = allowed.split(',').map((range) => parseCidr(range.trim()));
  return inCidrs(
    ranges.filter((range) => range !== null),
    address,
  );
}

interface Claims {
  readonly data: CallerSite['data'];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
}

function isWithin({ iat, nbf, exp }: Claims, now: number): boolean {
  return Math.max(iat, nbf) <= now + LEEWAY && exp > now - LEEWAY;
}

/** What a token (HS256) says that this secret has signed; null: it is none, or says something else than sites do. */
function claimsOf(jwt: string, secret: string): Claims | null {
  const [header = '', payload = '', signature = '', ...more] = jwt.split('.');
  const expected = createHmac('sha256', secret).update(`${header}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const { data, jti, iat, nbf, exp } = objectIn(Buffer.from(payload, 'base64url').toString('utf8'));
  const times = [iat, nbf, exp].every((time) => typeof time === 'number' && Number.isFinite(time));
  const isRight = objectIn(Buffer.from(header, 'base64url').toString('utf8')).alg === 'HS256' && times;
  if (!isRight || typeof data !== 'string' || typeof jti !== 'string') return null;
  return { data: objectIn(data), iat: iat as number, nbf: nbf as number, exp: exp as number };
}

/** An object of JSON; of anything else an empty one. */
function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
