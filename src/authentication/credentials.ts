import type { KeyObject } from 'node:crypto';
import type { Config } from '#config.ts';
import type { Database } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';
import { hashToken } from '#security/tokens.ts';
import { type Caller, getSignInBlock, identifiedUserColumns, type SignInBlock, toCallerUser } from './caller.ts';
import { findOAuthToken, getInvalidTokenCode, isOAuthTokenFormat } from './oauth/tokens.ts';
import { findSession } from './sessions/sessions.ts';
import { findJobToken } from './tokens/job-tokens.ts';
import { authenticateSite, type SitePurpose } from './tokens/site-keys.ts';
import type { TokenUsage } from './tokens/token-usage.ts';

/** A credential as received, not yet checked (contract/conventions.md §7 "Ways in"). */
export interface PresentedCredential {
  /**
   * How the credential was sent, which decides what it may be.
   * - `bearer`: an OAuth token or an access token
   * - `private`: an access token
   * - `job`: the token of a running job
   * - `bearerOrJob`: any of these
   * - `session`: the secret of the session cookie
   * - `site`: the signed token of a replication site, accepted once
   * - `siteFetch`: the signed token of a replication site for a git fetch, accepted once
   * - `repeatedSiteFetch`: the same token in later requests of the fetch
   */
  readonly scheme: 'bearer' | 'bearerOrJob' | 'private' | 'job' | 'session' | SitePurpose;
  readonly secret: string;
}

/**
 * Result of an identification. The request pipeline rejects in the order of contract/conventions.md §7 "Refusals":
 * first an invalid credential (`invalidToken`), then missing scopes, then a blocked caller (`block`).
 */
type IdentificationResult =
  | { readonly invalidToken: InvalidToken; readonly caller?: never; readonly block?: never }
  | { readonly invalidToken?: never; readonly caller: Caller; readonly block: SignInBlock | null };

export interface InvalidToken {
  /** `clockSkewed`: the token of a site whose clock differs from this server's by more than the tolerance. */
  readonly code: 'unknown' | 'expired' | 'revoked' | 'clockSkewed';
  /** Set for a revoked access token, expired or not: its use may reveal a theft. */
  readonly revokedTokenId: number | null;
}

interface IdentificationServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Pick<Config, 'impersonationEnabled'>;
  readonly tokenUsage: TokenUsage;
  readonly secretKey: () => Promise<KeyObject>;
}

// index: access_tokens_by_digest, users primary key
const selectTokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .where('access_tokens.digest', '=', value('digest'))
    .select([
      'access_tokens.id as token_id',
      'access_tokens.scopes',
      'access_tokens.expires_at',
      'access_tokens.revoked',
      'access_tokens.impersonation',
      'access_tokens.last_used_at',
      'access_tokens.last_used_ips',
      ...identifiedUserColumns,
    ]),
);

/** Identifies the caller by a credential. Without one the caller is anonymous, and no query runs. */
export function identify(
  services: IdentificationServices,
  credential: PresentedCredential | null,
  { clientAddress }: { readonly clientAddress: string },
): Promise<IdentificationResult> | IdentificationResult {
  if (credential === null) return createAnonymousResult(clientAddress);
  switch (credential.scheme) {
    case 'bearer':
      return identifyByBearer(services, credential.secret, clientAddress);
    case 'bearerOrJob':
      return identifyByBearerOrJob(services, credential.secret, clientAddress);
    case 'private':
      return identifyByAccessToken(services, hashToken(credential.secret), clientAddress);
    case 'job':
      return identifyByJobToken(services, credential.secret, clientAddress);
    case 'session':
      return identifyBySession(services, credential.secret, clientAddress);
    case 'site':
    case 'siteFetch':
    case 'repeatedSiteFetch':
      return identifyBySite(services, { purpose: credential.scheme, siteToken: credential.secret }, clientAddress);
  }
}

function createAnonymousResult(address: string): IdentificationResult {
  return { caller: { user: null, token: null, address }, block: null };
}

const UNKNOWN_TOKEN: IdentificationResult = { invalidToken: { code: 'unknown', revokedTokenId: null } };

/** Looks a secret up as an OAuth token only if it has that format, so that nearly every valid token costs one query. */
function identifyByBearer(
  services: IdentificationServices,
  secret: string,
  address: string,
): Promise<IdentificationResult> {
  const digest = hashToken(secret);
  return isOAuthTokenFormat(secret)
    ? identifyByOAuthToken(services, digest, address)
    : identifyByAccessToken(services, digest, address);
}

async function identifyByBearerOrJob(
  services: IdentificationServices,
  secret: string,
  address: string,
): Promise<IdentificationResult> {
  const result = await identifyByBearer(services, secret, address);
  return result === UNKNOWN_TOKEN ? identifyByJobToken(services, secret, address) : result;
}

async function identifyByOAuthToken(
  services: IdentificationServices,
  digest: string,
  address: string,
): Promise<IdentificationResult> {
  const token = await findOAuthToken(services.database.reader, digest);
  // An access token may have this format too: operators choose HEARTH_ROOT_TOKEN.
  if (token === null) return identifyByAccessToken(services, digest, address);
  const code = getInvalidTokenCode(token, timestamp(services.clock));
  if (code !== null) return { invalidToken: { code, revokedTokenId: null } };
  const { id, user } = token;
  // A token of client credentials belongs to no user, so it identifies nobody.
  if (user === null) return UNKNOWN_TOKEN;
  const block = getSignInBlock(user, services.clock);
  if (block === null) services.tokenUsage.recordUser(services.database, user);
  const scopes = JSON.parse(token.scopes) as string[];
  return { caller: { user, token: { kind: 'oauth', id, scopes, impersonation: false }, address }, block };
}

/** Identifies the user and the job of a job token. The token of a finished job counts as unknown. */
async function identifyByJobToken(
  { database, clock }: IdentificationServices,
  secret: string,
  address: string,
): Promise<IdentificationResult> {
  const jobToken = await findJobToken(database.reader, hashToken(secret));
  if (jobToken === null) return UNKNOWN_TOKEN;
  const token = { kind: 'job', id: jobToken.job.id, scopes: [], impersonation: false } as const;
  const caller: Caller = { user: toCallerUser(jobToken.user), token, job: jobToken.job, address };
  return { caller, block: getSignInBlock(jobToken.user, clock) };
}

async function identifyByAccessToken(
  services: IdentificationServices,
  digest: string,
  address: string,
): Promise<IdentificationResult> {
  const row = await selectTokenByDigest.first(services.database.reader, { digest });
  if (row === undefined) return UNKNOWN_TOKEN;
  const revokedTokenId = row.revoked ? row.token_id : null;
  if (isExpired(row.expires_at, services.database.reader.today))
    return { invalidToken: { code: 'expired', revokedTokenId } };
  if (row.revoked) return { invalidToken: { code: 'revoked', revokedTokenId } };
  const { token_id: id, impersonation } = row;
  const token = { kind: 'access_token', id, scopes: JSON.parse(row.scopes) as string[], impersonation } as const;
  const caller: Caller = { user: toCallerUser(row), token, address };
  const block =
    row.impersonation && !services.config.impersonationEnabled
      ? 'impersonation_off'
      : getSignInBlock(row, services.clock);
  if (block === null)
    services.tokenUsage.recordToken(services.database, { ...row, id: row.token_id, user_id: row.id }, address);
  return { caller, block };
}

/** Identifies the user of a browser session. An expired session and one without a user yield an anonymous caller. */
async function identifyBySession(
  { database, clock, tokenUsage }: IdentificationServices,
  secret: string,
  address: string,
): Promise<IdentificationResult> {
  const session = await findSession(database.reader, secret, clock.now());
  const user = session?.user ?? null;
  if (session === null || user === null) return createAnonymousResult(address);
  const block = getSignInBlock(user, clock);
  if (block === null) {
    tokenUsage.recordSession(database, session, address);
    tokenUsage.recordUser(database, user);
  }
  return { caller: { user, token: null, sessionDigest: session.digest, address }, block };
}

async function identifyBySite(
  { database, clock, secretKey }: IdentificationServices,
  token: { readonly purpose: SitePurpose; readonly siteToken: string },
  address: string,
): Promise<IdentificationResult> {
  const site = await authenticateSite({ database, secretKey, now: clock.now() }, token, address);
  if (typeof site === 'string') return { invalidToken: { code: site, revokedTokenId: null } };
  return { caller: { user: null, token: null, site, address }, block: null };
}

/** Returns whether a token has expired. It expires at 00:00 UTC of its date `expires_at`; null never expires. */
export function isExpired(expiresAt: string | null, today: string): boolean {
  return expiresAt !== null && expiresAt <= today;
}
