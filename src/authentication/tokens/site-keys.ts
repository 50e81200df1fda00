import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { isInCidrs, parseCidr } from '#config.ts';
import type { Database, Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt } from '#security/encryption.ts';
import { hashToken } from '#security/tokens.ts';
import { loadSettings } from '#settings/settings.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import type { CallerSite } from '../caller.ts';

/** Authentication of replication sites (contract/operations.md §3.3): `GL-Geo <access_key>:<jwt>`. */

/** Tolerated difference between the clocks of two sites, in seconds. */
const CLOCK_SKEW_SECONDS = 60;

/**
 * What a token may be used for: a request, the first request of a git fetch, or its later requests, which repeat the
 * token. `maxValiditySeconds`: the longest accepted validity. `singleUse`: the token is accepted only once.
 */
const PURPOSES = {
  site: { maxValiditySeconds: 60, singleUse: true },
  siteFetch: { maxValiditySeconds: 7_200, singleUse: true },
  repeatedSiteFetch: { maxValiditySeconds: 7_200, singleUse: false },
} as const;

export type SitePurpose = keyof typeof PURPOSES;

// index: geo_sites_by_access_key
const selectSiteByKey = prepare((db, value: Params<{ digest: string }>) =>
  db
    .selectFrom('geo_sites')
    .select(['id', 'enabled', 'secret_access_key'])
    .where('access_key_digest', '=', value('digest'))
    .where('secret_access_key', 'is not', null),
);

interface SiteServices {
  readonly database: Database;
  readonly secretKey: () => Promise<KeyObject>;
  readonly now: Date;
}

/**
 * Returns the site that signed this token, enabled or not; the claims in `data` name the resources that it may access.
 * `clockSkewed`: the signature is valid, but the token is not yet or no longer valid by this server's clock.
 */
export async function authenticateSite(
  { database, secretKey, now }: SiteServices,
  { purpose, siteToken }: { readonly purpose: SitePurpose; readonly siteToken: string },
  address: string,
): Promise<CallerSite | 'unknown' | 'clockSkewed'> {
  const { reader } = database;
  const { maxValiditySeconds, singleUse } = PURPOSES[purpose];
  const colonIndex = siteToken.indexOf(':');
  const row =
    colonIndex < 1
      ? undefined
      : await selectSiteByKey.first(reader, { digest: hashToken(siteToken.slice(0, colonIndex)) });
  if (row === undefined || row.secret_access_key === null) return 'unknown';
  const secret = decrypt(await secretKey(), row.secret_access_key, ENCRYPTED_COLUMNS.siteSecret.buildContext(row));
  const claims = verifyClaims(siteToken.slice(colonIndex + 1), secret);
  if (claims === null || claims.exp - claims.iat > maxValiditySeconds || !(await isAllowedAddress(reader, address)))
    return 'unknown';
  if (!isWithinValidity(claims, now.getTime() / 1000)) return 'clockSkewed';
  if (singleUse && !(await recordTokenUse(database, row.id, claims))) return 'unknown';
  return { id: row.id, enabled: row.enabled, claims: claims.data };
}

/** Records the use of a token until it expires. Returns false if it was used before. */
function recordTokenUse(database: Database, siteId: number, { jti, exp }: Claims): Promise<boolean> {
  const expires_at = new Date((exp + CLOCK_SKEW_SECONDS) * 1000).toISOString();
  return database.transaction(async (tx) => {
    // index: geo_site_proofs_by_expiry
    await tx.deleteFrom('geo_site_proofs').where('expires_at', '<=', tx.now).execute();
    const insertedRow = await tx
      .insertInto('geo_site_proofs')
      .values({ site_id: siteId, jti_digest: hashToken(jti), expires_at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('site_id')
      .executeTakeFirst();
    return insertedRow !== undefined;
  });
}

async function isAllowedAddress(reader: Reader, address: string): Promise<boolean> {
  const { geo_node_allowed_ips: allowedIps } = await loadSettings(reader);
  const ranges = allowedIps.split(',').map((range) => parseCidr(range.trim()));
  return isInCidrs(
    ranges.filter((range) => range !== null),
    address,
  );
}

interface Claims {
  readonly data: CallerSite['claims'];
  readonly jti: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
}

function isWithinValidity({ iat, nbf, exp }: Claims, now: number): boolean {
  return Math.max(iat, nbf) <= now + CLOCK_SKEW_SECONDS && exp > now - CLOCK_SKEW_SECONDS;
}

/** Returns the claims of a JWT (HS256) signed with this secret; null if the signature or the claims are invalid. */
function verifyClaims(jwt: string, secret: string): Claims | null {
  const [header = '', payload = '', signature = '', ...extraParts] = jwt.split('.');
  const expectedSignature = createHmac('sha256', secret).update(`${header}.${payload}`).digest();
  const signatureBytes = Buffer.from(signature, 'base64url');
  if (
    extraParts.length > 0 ||
    signatureBytes.length !== expectedSignature.length ||
    !timingSafeEqual(signatureBytes, expectedSignature)
  )
    return null;
  const { data, jti, iat, nbf, exp } = parseJsonObject(Buffer.from(payload, 'base64url').toString('utf8'));
  const hasValidTimes = [iat, nbf, exp].every((time) => typeof time === 'number' && Number.isFinite(time));
  const isSupported =
    parseJsonObject(Buffer.from(header, 'base64url').toString('utf8')).alg === 'HS256' && hasValidTimes;
  if (!isSupported || typeof data !== 'string' || typeof jti !== 'string') return null;
  return { data: parseJsonObject(data), jti, iat: iat as number, nbf: nbf as number, exp: exp as number };
}

/** Parses a JSON object; returns an empty one for anything else. */
function parseJsonObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
