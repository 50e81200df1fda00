import { accessTokenOf, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import {
  type IssuedToken,
  isTooLate,
  latestExpiry,
  readToken,
  rotateToken,
} from '#authentication/tokens/access-tokens.ts';
import { readUser, type User } from '#authentication/users/users.ts';
import type { Transaction } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { daysAfter } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordToken } from './activity.ts';
import { mayManage } from './revoke.ts';

const DEFAULT_DAYS = 7;

export type RotateFailure = 'alreadyRevoked' | 'tooLate';

/** Which token, and until when the new one lives. */
interface Replacing {
  readonly id: number;
  /** null: not said. */
  readonly expiresAt: string | null;
}

/** Replaces a token that the caller may manage by one with another secret; the old one ends. */
export async function rotate(
  uow: UnitOfWork<SignedInCaller>,
  { id, expiresAt }: Replacing,
): Promise<IssuedToken | Failure<RotateFailure | 'notPermitted' | 'notFound'>> {
  const token = await readToken(uow, id);
  if (token === null) return fail(isAdministrator(uow.actor) ? 'notFound' : 'notPermitted');
  if (!mayManage(uow.actor, token)) return fail('notPermitted');
  return replaceAndRecord(uow, { id, expiresAt });
}

/** The same with the token that the request came with. */
export async function rotateOwn(
  uow: UnitOfWork<SignedInCaller>,
  expiresAt: string | null,
): Promise<IssuedToken | Failure<RotateFailure | 'notPersonal'>> {
  const used = accessTokenOf(uow.actor);
  return used === null ? fail('notPersonal') : replaceAndRecord(uow, { id: used.id, expiresAt });
}

async function replaceAndRecord(
  uow: UnitOfWork<SignedInCaller>,
  replacing: Replacing,
): Promise<IssuedToken | Failure<RotateFailure>> {
  const issued = await replaceToken(uow, replacing);
  if (isFailure(issued)) return issued;
  const owner = (await readUser(uow, issued.token.user_id)) as User;
  await recordToken(uow, { event: 'revoked', token: replacing, owner });
  await recordToken(uow, { event: 'created', token: issued.token, owner });
  return issued;
}

/** Replaces a token, of whatever kind, by one with another secret. Of two at once, one finds it revoked. */
export async function replaceToken(
  tx: Transaction,
  { id, expiresAt }: Replacing,
): Promise<IssuedToken | Failure<RotateFailure>> {
  const settings = await readSettings(tx);
  const latest = latestExpiry(tx.today, settings);
  if (isTooLate(expiresAt, latest)) return fail('tooLate', { latest });
  const end = expiresAt ?? (settings.require_personal_access_token_expiry ? inAWeek(tx.today, latest) : null);
  return rotateToken(tx, id, { expiresAt: end, prefix: settings.personal_access_token_prefix });
}

/** Or on the latest day that may be, where that comes before. */
function inAWeek(today: string, latest: string | null): string {
  const day = daysAfter(today, DEFAULT_DAYS);
  return latest !== null && latest < day ? latest : day;
}
