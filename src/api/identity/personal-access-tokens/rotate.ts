import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import {
  type AccessToken,
  exceedsLatestExpiry,
  findAccessToken,
  getLatestExpiry,
  type IssuedToken,
  rotateToken,
  validateGrantedScopes,
} from '#authentication/tokens/access-tokens.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addDays } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordTokenEvent } from './activity.ts';
import { isImpersonating } from './impersonation.ts';
import { canManageToken } from './revoke.ts';

const DEFAULT_DAYS = 7;

export type RotateFailure = 'alreadyRevoked' | 'tooLate' | 'lackedScope';

/** The token to replace, and the expiry date of the new one. */
interface TokenReplacement {
  readonly id: number;
  /** Null for the default. */
  readonly expiresAt: string | null;
}

/**
 * Replaces a token that the caller may manage by one with a new secret, and revokes the old one. An impersonator may not
 * replace the user's own tokens.
 */
export async function rotatePersonalToken(
  uow: UnitOfWork<SignedInCaller>,
  { id, expiresAt }: TokenReplacement,
): Promise<IssuedToken | Failure<RotateFailure | 'notPermitted' | 'notFound'>> {
  const token = await findAccessToken(uow, id);
  if (token === null) return fail(isAdministrator(uow.actor) ? 'notFound' : 'notPermitted');
  if (!canManageToken(uow.actor, token) || isOwnTokenOfImpersonated(uow.actor, token)) return fail('notPermitted');
  return replaceAndRecord(uow, { id, expiresAt });
}

function isOwnTokenOfImpersonated(caller: SignedInCaller, { user_id, impersonation }: AccessToken): boolean {
  return !impersonation && isImpersonating(caller, user_id);
}

/** Replaces the token of the request. */
export async function rotateOwnToken(
  uow: UnitOfWork<SignedInCaller>,
  expiresAt: string | null,
): Promise<IssuedToken | Failure<RotateFailure | 'notPersonal'>> {
  const currentToken = getAccessToken(uow.actor);
  return currentToken === null ? fail('notPersonal') : replaceAndRecord(uow, { id: currentToken.id, expiresAt });
}

async function replaceAndRecord(
  uow: UnitOfWork<SignedInCaller>,
  replacing: TokenReplacement,
): Promise<IssuedToken | Failure<RotateFailure>> {
  const issuedToken = await replaceToken(uow, replacing);
  if (isFailure(issuedToken)) return issuedToken;
  const owner = (await findUserById(uow, issuedToken.token.user_id)) as User;
  await recordTokenEvent(uow, { event: 'revoked', token: replacing, owner });
  await recordTokenEvent(uow, { event: 'created', token: issuedToken.token, owner });
  return issuedToken;
}

/** Replaces a token of any kind by one with a new secret. Of two concurrent calls one fails with `alreadyRevoked`. */
export async function replaceToken(
  uow: UnitOfWork<SignedInCaller>,
  { id, expiresAt }: TokenReplacement,
): Promise<IssuedToken | Failure<RotateFailure>> {
  const old = (await findAccessToken(uow, id)) as AccessToken;
  const scopeFailure = validateGrantedScopes(uow.actor, JSON.parse(old.scopes) as string[]);
  if (scopeFailure !== null) return scopeFailure;
  const settings = await loadSettings(uow);
  const latest = getLatestExpiry(uow.today, settings);
  if (exceedsLatestExpiry(expiresAt, latest)) return fail('tooLate', { latest });
  const end = expiresAt ?? (settings.require_personal_access_token_expiry ? defaultExpiry(uow.today, latest) : null);
  return rotateToken(uow, id, { expiresAt: end, prefix: settings.personal_access_token_prefix });
}

/** Returns the date in a week, at most `latest`. */
function defaultExpiry(today: string, latest: string | null): string {
  const day = addDays(today, DEFAULT_DAYS);
  return latest !== null && latest < day ? latest : day;
}
