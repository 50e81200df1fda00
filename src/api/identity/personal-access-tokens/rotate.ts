import { type Clock, today } from '../../../clock.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { type Access, type AccessCall, signedIn } from '../../../http/access/access.ts';
import {
  daysAfter,
  type IssuedToken,
  latestExpiry,
  readToken,
  revokeDescendants,
  rotateToken,
} from '../../../identity/access-tokens.ts';
import { accessTokenOf, isAdministrator, type SignedIn } from '../../../identity/caller.ts';
import type { DeadToken } from '../../../identity/credentials.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { recordToken } from './record.ts';
import { mayManage } from './revoke.ts';

const DEFAULT_DAYS = 7;

interface RotateRooms {
  readonly database: Database;
  readonly clock: Clock;
}

/** Signed-in callers. */
export function rotating(): Access<{ caller: SignedIn }> {
  return signedIn().onDeadToken(endReusedChain);
}

/**
 * A revoked token that wants to be rotated has been copied: whoever has its chain loses it (contract/conventions.md §10
 * "Reuse detection").
 */
export async function endReusedChain({ rooms }: AccessCall, { revokedTokenId }: DeadToken): Promise<void> {
  if (revokedTokenId !== null) await rooms.database.transaction((tx) => revokeDescendants(tx, revokedTokenId));
}

export type RotateRefusal = 'already_revoked' | 'tooLate';

/** Replaces a token that the caller may manage by one with another secret; the old one ends. */
export async function rotate(
  rooms: RotateRooms,
  { id, expiresAt }: { readonly id: number; readonly expiresAt: string | null },
  caller: SignedIn,
): Promise<IssuedToken | Refused<RotateRefusal | 'notPermitted' | 'notFound'>> {
  return rooms.database.transaction(async (tx) => {
    const token = await readToken(tx, id);
    if (token === null) return refused(isAdministrator(caller) ? 'notFound' : 'notPermitted');
    if (!mayManage(caller, token)) return refused('notPermitted');
    return replaceAndRecord(tx, rooms.clock, { id, expiresAt }, caller);
  });
}

/** The same with the token that the request came with. */
export async function rotateOwn(
  rooms: RotateRooms,
  expiresAt: string | null,
  caller: SignedIn,
): Promise<IssuedToken | Refused<RotateRefusal | 'notPersonal'>> {
  const used = accessTokenOf(caller);
  if (used === null) return refused('notPersonal');
  return rooms.database.transaction((tx) => replaceAndRecord(tx, rooms.clock, { id: used.id, expiresAt }, caller));
}

interface Replacing {
  readonly id: number;
  /** null: in a week. */
  readonly expiresAt: string | null;
}

async function replaceAndRecord(
  tx: Transaction,
  clock: Clock,
  replacing: Replacing,
  caller: SignedIn,
): Promise<IssuedToken | Refused<RotateRefusal>> {
  const issued = await replaceToken(tx, clock, replacing);
  if (isRefused(issued)) return issued;
  const owner = (await readUser(tx, issued.token.user_id)) as User;
  await recordToken(tx, caller, { event: 'revoked', token: { ...issued.token, id: replacing.id }, owner });
  await recordToken(tx, caller, { event: 'created', token: issued.token, owner });
  return issued;
}

/** Replaces a token, of whatever kind, by one with another secret. Of two at once, one finds it revoked. */
export async function replaceToken(
  tx: Transaction,
  clock: Clock,
  { id, expiresAt }: Replacing,
): Promise<IssuedToken | Refused<RotateRefusal>> {
  const settings = await readSettings(tx);
  const latest = latestExpiry(today(clock), settings);
  if (expiresAt !== null && expiresAt > latest) return refused('tooLate', { latest });
  const end = expiresAt ?? earlier(daysAfter(today(clock), DEFAULT_DAYS), latest);
  return rotateToken(tx, id, { expiresAt: end, prefix: settings.personal_access_token_prefix });
}

function earlier(one: string, other: string): string {
  return [one, other].sort()[0] as string;
}
