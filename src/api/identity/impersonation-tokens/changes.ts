import type { SignedInCaller } from '#authentication/caller.ts';
import {
  type AccessToken,
  createToken,
  exceedsLatestExpiry,
  getLatestExpiry,
  type IssuedToken,
  revokeToken,
  SCOPES,
  validateGrantedScopes,
} from '#authentication/tokens/access-tokens.ts';
import { validateDisplayName } from '#authentication/users/usernames.ts';
import { findChangeableUser, type UnchangeableUserCode, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { recordTokenEvent } from '../personal-access-tokens/index.ts';

interface CreateImpersonationTokenInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
}

/** Creates a token with which an administrator acts as this user (contract/conventions.md §10). */
export async function createImpersonationToken(
  uow: UnitOfWork<SignedInCaller>,
  { id }: User,
  input: CreateImpersonationTokenInput,
): Promise<IssuedToken | Failure<UnchangeableUserCode | 'invalid' | 'missingScope'>> {
  // The account may have been deleted since the access check.
  const user = await findChangeableUser(uow, id);
  if (isFailure(user)) return user;
  const settings = await loadSettings(uow);
  const errors = validateInput(input, settings, getLatestExpiry(uow.today, settings));
  if (errors !== null) return invalid(errors);
  const scopeFailure = validateGrantedScopes(uow.actor, input.scopes);
  if (scopeFailure !== null) return scopeFailure;
  const issuedToken = await createToken(uow, {
    ...input,
    userId: user.id,
    description: input.description || null,
    impersonation: true,
    prefix: settings.personal_access_token_prefix,
  });
  await recordTokenEvent(uow, { event: 'created', token: issuedToken.tokenRow, owner: user });
  return issuedToken;
}

function validateInput(
  { name, scopes, expiresAt }: CreateImpersonationTokenInput,
  settings: ApplicationSettings,
  latestExpiry: string | null,
): FieldErrors | null {
  return compactFieldErrors({
    name: validateDisplayName(name),
    scopes: validateScopes(scopes),
    expires_at: validateExpiry(expiresAt, settings, latestExpiry),
  });
}

function validateScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) return ["can't be blank"];
  return scopes.every((scope) => SCOPES.some((known) => known === scope)) ? [] : ['can only contain available scopes'];
}

function validateExpiry(
  expiresAt: string | null,
  { require_personal_access_token_expiry }: ApplicationSettings,
  latestExpiry: string | null,
): string[] {
  if (expiresAt === null) return require_personal_access_token_expiry ? ["can't be blank"] : [];
  return exceedsLatestExpiry(expiresAt, latestExpiry) ? [`must be before ${latestExpiry}`] : [];
}

/** Revokes an impersonation token of this user. Has no effect on a revoked token. */
export async function revokeImpersonationToken(
  uow: UnitOfWork<SignedInCaller>,
  token: AccessToken,
  owner: User,
): Promise<void> {
  if (await revokeToken(uow, token.id)) await recordTokenEvent(uow, { event: 'revoked', token, owner });
}
