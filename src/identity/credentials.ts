import type { Clock } from '../clock.ts';
import { today } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { type Params, prepare } from '../database/prepare.ts';
import { digestToken } from '../secrets/tokens.ts';
import type { Caller, CallerUser, UserState } from './caller.ts';
import type { TokenUses } from './token-uses.ts';

/** A credential as it came, not yet looked at. */
export interface Presented {
  readonly secret: string;
}

/**
 * What became of a credential, by the order of contract/conventions.md §7 "Refusals": a `dead` one is refused before
 * anything else; then its scopes are asked for; then a caller who is `barred` is refused.
 */
export type Identified =
  | { readonly dead: DeadToken; readonly caller?: never; readonly barred?: never }
  | { readonly dead?: never; readonly caller: Caller; readonly barred: Bar | null };

export interface DeadToken {
  readonly code: 'unknown' | 'expired' | 'revoked';
  /** Set for a token that was revoked, expired or not: its use may give a theft away. */
  readonly revokedTokenId: number | null;
}

export type Bar = 'impersonation_off' | 'blocked' | 'deactivated' | 'pending' | 'password_expired';

export interface IdentityRooms {
  readonly database: Database;
  readonly clock: Clock;
  readonly config: Pick<Config, 'impersonationEnabled'>;
  readonly tokenUses: TokenUses;
}

// index: access_tokens_by_digest, users primary key
const tokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .where('access_tokens.digest', '=', value('digest'))
    .select([
      'access_tokens.id',
      'access_tokens.scopes',
      'access_tokens.expires_at',
      'access_tokens.revoked',
      'access_tokens.impersonation',
      'access_tokens.last_used_at',
      'users.id as user_id',
      'users.username',
      'users.name',
      'users.email',
      'users.state',
      'users.admin',
      'users.bot',
      'users.external',
      'users.password_expires_at',
      'users.last_activity_on',
    ]),
);

/** Who presents this credential? Nobody, and without a query, when there is none. */
export async function identify(
  rooms: IdentityRooms,
  presented: Presented | null,
  request: { readonly clientAddress: string },
): Promise<Identified> {
  const address = request.clientAddress;
  if (presented === null) return { caller: { user: null, token: null, address }, barred: null };
  const row = await tokenByDigest.first(rooms.database.reader, { digest: digestToken(presented.secret) });
  if (row === undefined) return { dead: { code: 'unknown', revokedTokenId: null } };
  const revokedTokenId = row.revoked ? row.id : null;
  if (isExpired(row.expires_at, today(rooms.clock))) return { dead: { code: 'expired', revokedTokenId } };
  if (row.revoked) return { dead: { code: 'revoked', revokedTokenId } };
  const caller: Caller = { user: callerUser(row), token: callerToken(row), address };
  const barred = barOf(row, rooms);
  if (barred === null) rooms.tokenUses.note(row, address);
  return { caller, barred };
}

/** A token dies at 00:00 UTC of its `expires_at` date. */
export function isExpired(expiresAt: string | null, today: string): boolean {
  return expiresAt !== null && expiresAt <= today;
}

type TokenRow = NonNullable<Awaited<ReturnType<typeof tokenByDigest.first>>>;

function callerUser({ user_id, username, name, email, state, admin, bot, external }: TokenRow): CallerUser {
  return { id: user_id, username, name, email, state, admin, bot, external };
}

function callerToken({ id, scopes, impersonation }: TokenRow) {
  return { id, scopes: JSON.parse(scopes) as string[], impersonation };
}

const BARRED_STATES: Readonly<Record<UserState, Bar | null>> = {
  active: null,
  blocked: 'blocked',
  banned: 'blocked',
  ldap_blocked: 'blocked',
  deactivated: 'deactivated',
  blocked_pending_approval: 'pending',
};

function barOf(row: TokenRow, { config, clock }: Pick<IdentityRooms, 'config' | 'clock'>): Bar | null {
  if (row.impersonation && !config.impersonationEnabled) return 'impersonation_off';
  const barred = BARRED_STATES[row.state];
  if (barred !== null) return barred;
  const expires = row.password_expires_at;
  return expires !== null && expires <= clock.now().toISOString() ? 'password_expired' : null;
}
