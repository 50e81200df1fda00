import { describeChange } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import { validatePassword } from '#authentication/users/password-rules.ts';
import { type User, updateUser } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordUserEvent } from '../users/index.ts';

interface RenewPasswordInput {
  readonly login: string;
  /** The expired password, set by an administrator. */
  readonly password: string;
  readonly newPassword: string;
  readonly address: string;
  readonly waiter: Waiter;
}

/**
 * Replaces an expired password with a new one, so that the user can use the API again (contract/conventions.md §7 "Refusals").
 * Returns the valid password of the user: a password that has not expired stays unchanged. Fails with `weak` and the value
 * `problem` if the new password is not allowed.
 */
export async function renewPassword(
  { database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>,
  { login, password, newPassword, address, waiter }: RenewPasswordInput,
): Promise<string | Failure<'passwordSignInDisabled' | 'invalid' | 'weak'>> {
  const settings = await loadSettings(database.reader);
  if (!settings.password_authentication_enabled_for_web) return fail('passwordSignInDisabled');
  const passwordCheck = await checkPassword({ database }, { login, password }, waiter);
  if (isFailure(passwordCheck)) return passwordCheck;
  const { user } = passwordCheck;
  if (user.password_expires_at === null) return password;
  const [problem] = validateNewPassword({ password, newPassword }, user, settings.minimum_password_length);
  if (problem !== undefined) return fail('weak', { problem });
  const hash = await hashPassword(newPassword, waiter);
  const storeResult = await runUnitOfWork({ user, token: null, address }, (uow) => storePassword(uow, user, hash));
  return isFailure(storeResult) ? storeResult : newPassword;
}

async function storePassword(
  uow: UnitOfWork<SignedInCaller>,
  user: User,
  hash: string,
): Promise<undefined | Failure<'invalid'>> {
  const updatedUser = await updateUser(uow, user, { password: { hash, expired: false } });
  if (isFailure(updatedUser)) return fail('invalid');
  await recordUserEvent(uow, user, {
    name: 'user_password_updated',
    targetDetails: user.name,
    ...describeChange('password'),
  });
}

function validateNewPassword(
  { password, newPassword }: Pick<RenewPasswordInput, 'password' | 'newPassword'>,
  user: User,
  minLength: number,
): string[] {
  if (newPassword === password) return ['must be another one than before'];
  return validatePassword(newPassword, user, minLength);
}
