import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import {
  exceedsLatestExpiry,
  findAccessToken,
  getLatestExpiry,
  type IssuedToken,
  rotateToken,
  validateGrantedScopes,
} from '#authentication/tokens/access-tokens.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addDays } from '#runtime/clock.ts';
import { type Failure, fail, isFailure, requireRow } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { canManageToken, isImpersonating, recordTokenEvent } from './changes.ts';

/** Lifetime of a rotated token without a requested expiry date, in days. */
const DEFAULT_LIFETIME_DAYS = 7;

export type RotateFailure = 'alreadyRevoked' | 'expiryTooLate' | 'missingScope';

/** The token to replace, and the expiry date of the new one. */
interface TokenReplacement {
  readonly id: number;
  /** Expiry date; null: the default. */
  readonly expiresAt: string | null;
}

/**
 * Replaces a token that the caller may manage by one with a new secret, and revokes the old one. An impersonation token cannot
 * replace the other tokens of its user.
 */
export async function rotatePersonalToken(
  uow: UnitOfWork<SignedInCaller>,
  { id, expiresAt }: TokenReplacement,
): Promise<IssuedToken | Failure<RotateFailure | 'notPermitted' | 'notFound'>> {
  const token = await findAccessToken(uow, id);
  if (token === null) return fail(isAdministrator(uow.actor) ? 'notFound' : 'notPermitted');
  const isForbidden = !token.impersonation && isImpersonating(uow.actor, token.user_id);
  if (!canManageToken(uow.actor, token) || isForbidden) return fail('notPermitted');
  return replaceAndRecord(uow, { id, expiresAt });
}

/** Replaces the token of the request. */
export async function rotateOwnToken(
  uow: UnitOfWork<SignedInCaller>,
  expiresAt: string | null,
): Promise<IssuedToken | Failure<RotateFailure | 'notPersonal'>> {
  const currentToken = getAccessToken(uow.actor);
  return currentToken === null ? fail('notPersonal') : replaceAndRecord(uow, { id: currentToken.id, expiresAt });
}

/** Replaces a token and records the audit events of both tokens. Callers check the permission. */
async function replaceAndRecord(
  uow: UnitOfWork<SignedInCaller>,
  replacement: TokenReplacement,
): Promise<IssuedToken | Failure<RotateFailure>> {
  const issuedToken = await replaceToken(uow, replacement);
  if (isFailure(issuedToken)) return issuedToken;
  const owner = requireRow(await findUserById(uow, issuedToken.tokenRow.user_id));
  await recordTokenEvent(uow, { event: 'revoked', token: replacement, owner });
  await recordTokenEvent(uow, { event: 'created', token: issuedToken.tokenRow, owner });
  return issuedToken;
}

/**
 * Replaces a token of any kind by one with a new secret. If two calls run at the same time, one fails with
 * `alreadyRevoked`.
 */
export async function replaceToken(
  uow: UnitOfWork<SignedInCaller>,
  { id, expiresAt }: TokenReplacement,
): Promise<IssuedToken | Failure<RotateFailure>> {
  const token = requireRow(await findAccessToken(uow, id));
  const scopeFailure = validateGrantedScopes(uow.actor, JSON.parse(token.scopes) as string[]);
  if (scopeFailure !== null) return scopeFailure;
  const settings = await loadSettings(uow);
  const latestExpiry = getLatestExpiry(uow.today, settings);
  if (exceedsLatestExpiry(expiresAt, latestExpiry)) return fail('expiryTooLate', { latest: latestExpiry });
  const newExpiry =
    expiresAt ?? (settings.require_personal_access_token_expiry ? getDefaultExpiry(uow.today, latestExpiry) : null);
  return rotateToken(uow, id, { expiresAt: newExpiry, prefix: settings.personal_access_token_prefix });
}

/** Returns the date in a week, but not after `latestExpiry`. */
function getDefaultExpiry(today: string, latestExpiry: string | null): string {
  const defaultExpiry = addDays(today, DEFAULT_LIFETIME_DAYS);
  return latestExpiry !== null && latestExpiry < defaultExpiry ? latestExpiry : defaultExpiry;
}
