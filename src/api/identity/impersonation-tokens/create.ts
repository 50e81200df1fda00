import type { SignedInCaller } from '#authentication/caller.ts';
import {
  createToken,
  type IssuedToken,
  isTooLate,
  latestExpiry,
  SCOPES,
} from '#authentication/tokens/access-tokens.ts';
import { nameProblems } from '#authentication/users/name-validation.ts';
import { changeableUser, type Unchangeable, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { type ApplicationSettings, readSettings } from '#settings/settings.ts';
import { recordToken } from '../personal-access-tokens/index.ts';

interface ImpersonationOrder {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
}

/** Issues a token with which an administrator acts as this user (contract/conventions.md §10). */
export async function createImpersonationToken(
  uow: UnitOfWork<SignedInCaller>,
  { id }: User,
  order: ImpersonationOrder,
): Promise<IssuedToken | Failure<Unchangeable | 'invalid'>> {
  // The account may have ended since the path was looked at, and its tokens with it.
  const user = await changeableUser(uow, id);
  if (isFailure(user)) return user;
  const settings = await readSettings(uow);
  const errors = problemsOf(order, settings, latestExpiry(uow.today, settings));
  if (errors !== null) return invalid(errors);
  const issued = await createToken(uow, {
    ...order,
    userId: user.id,
    description: order.description || null,
    impersonation: true,
    prefix: settings.personal_access_token_prefix,
  });
  await recordToken(uow, { event: 'created', token: issued.token, owner: user });
  return issued;
}

function problemsOf(
  { name, scopes, expiresAt }: ImpersonationOrder,
  settings: ApplicationSettings,
  latest: string | null,
): FieldErrors | null {
  return fieldErrors({
    name: nameProblems(name),
    scopes: scopeProblems(scopes),
    expires_at: expiryProblems(expiresAt, settings, latest),
  });
}

function scopeProblems(scopes: readonly string[]): string[] {
  if (scopes.length === 0) return ["can't be blank"];
  return scopes.every(isScope) ? [] : ['can only contain available scopes'];
}

function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text);
}

function expiryProblems(
  expiresAt: string | null,
  { require_personal_access_token_expiry }: ApplicationSettings,
  latest: string | null,
): string[] {
  if (expiresAt === null) return require_personal_access_token_expiry ? ["can't be blank"] : [];
  return isTooLate(expiresAt, latest) ? [`must be before ${latest}`] : [];
}
