import { changed } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import { passwordProblems } from '#authentication/users/password-rules.ts';
import { type User, updateUser } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { readSettings } from '#settings/settings.ts';
import { recordUser } from '../users/index.ts';

interface Renewal {
  readonly login: string;
  /** The one that an administrator has set. */
  readonly password: string;
  readonly newPassword: string;
  readonly address: string;
}

/**
 * Replaces an expired password by one that its user has chosen, which lets the user into the API again
 * (contract/conventions.md §7 "Refusals"), and tells which password is the user's now: one that has not expired stays,
 * for this is no other way to change it. Refuses with `weak` and what is wrong with the new one, `problem`.
 */
export async function renewPassword(
  { database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>,
  { login, password, newPassword, address }: Renewal,
): Promise<string | Failure<'switchedOff' | 'invalid' | 'weak'>> {
  const settings = await readSettings(database.reader);
  if (!settings.password_authentication_enabled_for_web) return fail('switchedOff');
  const checked = await checkPassword({ database }, { login, password });
  if (isFailure(checked)) return checked;
  const { user } = checked;
  if (user.password_expires_at === null) return password;
  const [problem] = problemsOf({ password, newPassword }, user, settings.minimum_password_length);
  if (problem !== undefined) return fail('weak', { problem });
  const hash = await hashPassword(newPassword);
  const stored = await runUnitOfWork({ user, token: null, address }, (uow) => replace(uow, user, hash));
  return isFailure(stored) ? stored : newPassword;
}

async function replace(
  uow: UnitOfWork<SignedInCaller>,
  user: User,
  hash: string,
): Promise<undefined | Failure<'invalid'>> {
  const renewed = await updateUser(uow, user, { password: { hash, expired: false } });
  if (isFailure(renewed)) return fail('invalid');
  await recordUser(uow, user, { name: 'user_password_updated', called: user.name, ...changed('password') });
}

function problemsOf(
  { password, newPassword }: Pick<Renewal, 'password' | 'newPassword'>,
  owner: User,
  shortest: number,
): string[] {
  if (newPassword === password) return ['must be another one than before'];
  return passwordProblems(newPassword, owner, shortest);
}
