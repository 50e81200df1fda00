import type { KeyObject } from 'node:crypto';
import type { Config } from '#config.ts';
import type { Database } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';
import { digestToken } from '#security/tokens.ts';
import type { Caller, CallerToken, CallerUser } from './caller.ts';
import { identifiedUserColumns } from './identified-user.ts';
import { deadCode, findOAuthToken, isOAuthSecret } from './oauth/tokens.ts';
import { findSession } from './sessions/sessions.ts';
import { type Bar, userBar } from './sign-in-blocks.ts';
import { findJobToken, jobUser } from './tokens/job-tokens.ts';
import { findSiteByProof } from './tokens/site-keys.ts';
import type { TokenUses } from './tokens/token-usage.ts';

/** A credential as it came, not yet looked at, by the way that it came (contract/conventions.md §7 "Ways in"). */
export interface Presented {
  /**
   * `bearer`: first looked up as an OAuth token, then as an access token; `private`: an access token and nothing else;
   * `job`: the token of a running job, `bearerOrJob`: one that may also come as a bearer's, `session`: the secret of a
   * browser's cookie, each on a request that may be made with it; `site`: the proof of a replication site.
   */
  readonly way: 'bearer' | 'bearerOrJob' | 'private' | 'job' | 'session' | 'site';
  readonly secret: string;
}

/**
 * What became of a credential, by the order of contract/conventions.md §7 "Refusals": a `dead` one is refused before
 * anything else; then its scopes are asked for; then a caller who is `barred` is refused.
 */
type Identified =
  | { readonly dead: InvalidToken; readonly caller?: never; readonly barred?: never }
  | { readonly dead?: never; readonly caller: Caller; readonly barred: Bar | null };

export interface InvalidToken {
  /** `skewed`: the proof of a site whose clock differs from ours. */
  readonly code: 'unknown' | 'expired' | 'revoked' | 'skewed';
  /** Set for an access token that was revoked, expired or not: its use may give a theft away. */
  readonly revokedTokenId: number | null;
}

interface IdentityServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Pick<Config, 'impersonationEnabled'>;
  readonly tokenUses: TokenUses;
  readonly secretKey: () => Promise<KeyObject>;
}

// index: access_tokens_by_digest, users primary key
const tokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
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

/** Who presents this credential? Nobody, and without a query, when there is none. */
export function identify(
  services: IdentityServices,
  presented: Presented | null,
  { clientAddress }: { readonly clientAddress: string },
): Promise<Identified> | Identified {
  if (presented === null) return nobody(clientAddress);
  switch (presented.way) {
    case 'bearer':
      return byBearer(services, presented.secret, clientAddress);
    case 'bearerOrJob':
      return byBearerOrJob(services, presented.secret, clientAddress);
    case 'private':
      return byAccessToken(services, digestToken(presented.secret), clientAddress);
    case 'job':
      return byJobToken(services, presented.secret, clientAddress);
    case 'session':
      return bySession(services, presented.secret, clientAddress);
    case 'site':
      return bySite(services, presented.secret, clientAddress);
  }
}

function nobody(address: string): Identified {
  return { caller: { user: null, token: null, address }, barred: null };
}

const UNKNOWN: Identified = { dead: { code: 'unknown', revokedTokenId: null } };

/** Only what looks like an OAuth token is looked up as one, so that every live token costs one read. */
function byBearer(services: IdentityServices, secret: string, address: string): Promise<Identified> {
  const digest = digestToken(secret);
  return isOAuthSecret(secret) ? byOAuthToken(services, digest, address) : byAccessToken(services, digest, address);
}

async function byBearerOrJob(services: IdentityServices, secret: string, address: string): Promise<Identified> {
  const found = await byBearer(services, secret, address);
  return found === UNKNOWN ? byJobToken(services, secret, address) : found;
}

async function byOAuthToken(services: IdentityServices, digest: string, address: string): Promise<Identified> {
  const token = await findOAuthToken(services.database.reader, digest);
  if (token === null) return byAccessToken(services, digest, address);
  const code = deadCode(token, timestamp(services.clock));
  if (code !== null) return { dead: { code, revokedTokenId: null } };
  const { id, user } = token;
  // One of client credentials belongs to no user: nobody is known by it.
  if (user === null) return UNKNOWN;
  const barred = userBar(user, services.clock);
  if (barred === null) services.tokenUses.noteUser(user);
  const scopes = JSON.parse(token.scopes) as string[];
  return { caller: { user, token: { kind: 'oauth', id, scopes, impersonation: false }, address }, barred };
}

/** One of a job that has ended is none. */
async function byJobToken({ database, clock }: IdentityServices, secret: string, address: string): Promise<Identified> {
  const found = await findJobToken(database.reader, digestToken(secret));
  if (found === null) return UNKNOWN;
  const token = { kind: 'job', id: found.job.id, scopes: [], impersonation: false } as const;
  const caller: Caller = { user: jobUser(found.user), token, job: found.job, address };
  return { caller, barred: userBar(found.user, clock) };
}

async function byAccessToken(services: IdentityServices, digest: string, address: string): Promise<Identified> {
  const row = await tokenByDigest.first(services.database.reader, { digest });
  if (row === undefined) return UNKNOWN;
  const revokedTokenId = row.revoked ? row.token_id : null;
  if (isExpired(row.expires_at, services.database.reader.today)) return { dead: { code: 'expired', revokedTokenId } };
  if (row.revoked) return { dead: { code: 'revoked', revokedTokenId } };
  const caller: Caller = { user: tokenUser(row), token: callerToken(row), address };
  const barred =
    row.impersonation && !services.config.impersonationEnabled ? 'impersonation_off' : userBar(row, services.clock);
  if (barred === null) services.tokenUses.note({ ...row, id: row.token_id, user_id: row.id }, address);
  return { caller, barred };
}

/** A session that is over, or in which nobody has signed in, is no credential at all. */
async function bySession(
  { database, clock, tokenUses }: IdentityServices,
  secret: string,
  address: string,
): Promise<Identified> {
  const session = await findSession(database.reader, secret, clock.now());
  const user = session?.user ?? null;
  if (session === null || user === null) return nobody(address);
  const barred = userBar(user, clock);
  if (barred === null) {
    tokenUses.noteSession(session);
    tokenUses.noteUser(user);
  }
  return { caller: { user, token: null, session: session.digest, address }, barred };
}

async function bySite(
  { database, clock, secretKey }: IdentityServices,
  proof: string,
  address: string,
): Promise<Identified> {
  const site = await findSiteByProof({ reader: database.reader, secretKey, now: clock.now() }, proof, address);
  if (typeof site === 'string') return { dead: { code: site, revokedTokenId: null } };
  return { caller: { user: null, token: null, site, address }, barred: null };
}

/** A token dies at 00:00 UTC of its `expires_at` date. */
export function isExpired(expiresAt: string | null, today: string): boolean {
  return expiresAt !== null && expiresAt <= today;
}

type TokenRow = NonNullable<Awaited<ReturnType<typeof tokenByDigest.first>>>;

function tokenUser({ id, username, name, email, state, admin, bot, external }: TokenRow): CallerUser {
  return { id, username, name, email, state, admin, bot, external };
}

function callerToken({ token_id: id, scopes, impersonation }: TokenRow): CallerToken {
  return { kind: 'access_token', id, scopes: JSON.parse(scopes) as string[], impersonation };
}
