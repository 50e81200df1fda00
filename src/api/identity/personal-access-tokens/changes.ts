import { type Caller, getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import {
  type AccessToken,
  createToken,
  exceedsLatestExpiry,
  findAccessToken,
  getDefaultExpiry,
  getLatestExpiry,
  type IssuedToken,
  revokeToken,
  validateGrantedScopes,
} from '#authentication/tokens/access-tokens.ts';
import { validateDisplayName } from '#authentication/users/usernames.ts';
import { findChangeableUser, findUserById, type UnchangeableUserCode, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fail, isFailure, requireRow } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import type { createTokenParams } from './access.ts';

export type CreateTokenInput = ParameterValues<ReturnType<typeof createTokenParams>>;

/**
 * Creates a token for a user. Fails if the caller impersonates the user. Without an expiry date in the input, the token expires on
 * the latest allowed date.
 */
export async function issueToken(
  uow: UnitOfWork,
  userId: number,
  { name, description, scopes, expires_at }: CreateTokenInput,
): Promise<IssuedToken | Failure<UnchangeableUserCode | 'invalidToken' | 'isImpersonated' | 'missingScope'>> {
  const user = await findChangeableUser(uow, userId);
  if (isFailure(user)) return user;
  if (isImpersonating(uow.actor, user.id)) return fail('isImpersonated');
  const scopeFailure = validateGrantedScopes(uow.actor, scopes);
  if (scopeFailure !== null) return scopeFailure;
  const settings = await loadSettings(uow);
  const expiresAt = expires_at ?? null;
  const failure = validateToken({ name, scopes, expiresAt }, getLatestExpiry(uow.today, settings));
  if (failure !== null) return failure;
  const issuedToken = await createToken(uow, {
    userId,
    name,
    description: description || null,
    scopes,
    expiresAt: expiresAt ?? getDefaultExpiry(uow.today, settings),
    prefix: settings.personal_access_token_prefix,
  });
  await recordTokenEvent(uow, { event: 'created', token: issuedToken.tokenRow, owner: user });
  return issuedToken;
}

/** The fields of a token that are validated. */
interface ValidatedFields extends Pick<CreateTokenInput, 'name' | 'scopes'> {
  readonly expiresAt: string | null;
}

/**
 * Validates the input for a token. Returns all problems as one sentence in the value `problems`, or null if it is valid.
 * `latestExpiry` is the last allowed expiry date.
 */
export function validateToken(
  { name, scopes, expiresAt }: ValidatedFields,
  latestExpiry: string | null,
): Failure<'invalidToken'> | null {
  const problems = [
    ...validateDisplayName(name).map((problem) => `Name ${problem}`),
    ...(scopes.length === 0 ? ["Scopes can't be blank"] : []),
    ...(exceedsLatestExpiry(expiresAt, latestExpiry) ? [`Expiration date must be before ${latestExpiry}`] : []),
  ];
  return problems.length === 0 ? null : fail('invalidToken', { problems: joinSentence(problems) });
}

/** Joins parts as `A`, `A and B`, or `A, B, and C`. */
function joinSentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}

/** Returns whether the caller may manage a token: administrators every token, other users their own, except impersonation tokens. */
export function canManageToken(caller: SignedInCaller, token: AccessToken): boolean {
  return isAdministrator(caller) || (token.user_id === caller.user.id && !token.impersonation);
}

/** Revokes a token. Has no effect on a revoked token. */
export async function revokePersonalToken(
  uow: UnitOfWork<SignedInCaller>,
  id: number,
): Promise<undefined | Failure<'notFound' | 'notPermitted'>> {
  const token = await findAccessToken(uow, id);
  if (token === null) return fail('notFound');
  if (!canManageToken(uow.actor, token)) return fail('notPermitted');
  await revokeAndRecord(uow, token);
}

/** Revokes the token of the request. An impersonation token can do so only if its user is an administrator. */
export async function revokeOwnToken(
  uow: UnitOfWork<SignedInCaller>,
): Promise<undefined | Failure<'notPersonal' | 'notPermitted'>> {
  const currentToken = getAccessToken(uow.actor);
  if (currentToken === null) return fail('notPersonal');
  const token = await findAccessToken(uow, currentToken.id);
  if (token === null) return;
  if (!canManageToken(uow.actor, token)) return fail('notPermitted');
  await revokeAndRecord(uow, token);
}

/** Revokes a token and records it. Has no effect on a revoked token. Callers check the permission. */
export async function revokeAndRecord(uow: UnitOfWork, token: AccessToken): Promise<void> {
  if (!(await revokeToken(uow, token.id))) return;
  const owner = requireRow(await findUserById(uow, token.user_id));
  await recordTokenEvent(uow, { event: 'revoked', token, owner });
}

/** The creation or revocation of a token. */
interface TokenEvent {
  readonly event: 'created' | 'revoked';
  readonly token: Pick<AccessToken, 'id'>;
  readonly owner: Pick<User, 'id' | 'name' | 'username'>;
}

/** Records the audit event of a created or revoked token; its entity is the acting user, or the owner if the server acts. */
export function recordTokenEvent(uow: UnitOfWork, { event, token, owner }: TokenEvent): Promise<void> {
  const { id, username } = uow.actor.user ?? owner;
  return uow.record({
    name: event === 'created' ? 'personal_access_token_created' : 'personal_access_token_revoked',
    entity: { type: 'User', id, path: username },
    target: { type: 'User', id: owner.id, details: owner.name },
    message: `${event === 'created' ? 'Created' : 'Revoked'} personal access token with id ${token.id}`,
  });
}

/**
 * Returns whether the caller acts as this user by an impersonation token. Such a caller gets no other token of the user, because
 * it would remain valid after the impersonation and look as if the user had created it.
 */
export function isImpersonating({ user, token }: Caller, userId: number): boolean {
  return token?.impersonation === true && user?.id === userId;
}
