import { describeChange } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { checkPassword, signInWithPassword } from '#authentication/sessions/password-sign-in.ts';
import type { SessionClient } from '#authentication/sessions/sessions.ts';
import { validatePassword } from '#authentication/users/password-rules.ts';
import { type User, updateUser } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { HtmlReply, RedirectReply } from '#http/endpoint/responses.ts';
import type { WebSession } from '#http/pages/web-session.ts';
import { createSessionCookie } from '#http/request/cookie.ts';
import { firstHeader, type IncomingRequest, localUrl } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { limitFailedSignIns } from '#rate-limits/failed-sign-ins.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordUserEvent, toPasswordCheckServices } from '../users/index.ts';
import { createSignInErrorPage } from './pages.ts';

/** The fields of the sign-in form. */
interface SignInForm {
  readonly login: string;
  readonly password: string;
  /** New password that replaces an expired one; empty in the form without this field. */
  readonly newPassword: string;
}

type SignInServices = Pick<Services, 'database' | 'clock' | 'config' | 'log' | 'runUnitOfWork'>;

/** Signs a visitor in: sets a new cookie and redirects to the requested page, or returns the form with an error. */
export async function signInVisitor(
  services: SignInServices,
  request: IncomingRequest,
  session: WebSession,
  input: SignInForm,
): Promise<RedirectReply | HtmlReply> {
  const client = { address: request.clientAddress, userAgent: firstHeader(request.headers['user-agent']) ?? null };
  const signInResult = await limitFailedSignIns(services, request, (waiter) =>
    renewAndSignIn(services, { client, waiter }, session, input),
  );
  const { login } = input;
  if (isFailure(signInResult))
    return createSignInErrorPage(request, session, { login, config: services.config }, signInResult);
  return {
    location: localUrl(request, toSafeReturnPath(session.returnTo)),
    headers: { 'Set-Cookie': createSessionCookie(request, signInResult.secret) },
  };
}

/** Replaces an expired password if the form contains a new one, and signs in. */
async function renewAndSignIn(
  services: SignInServices,
  { client, waiter }: { readonly client: SessionClient; readonly waiter: Waiter },
  session: WebSession,
  { login, password, newPassword }: SignInForm,
): Promise<{ readonly secret: string } | Failure<'invalid' | 'weak' | 'passwordSignInDisabled'>> {
  const { address } = client;
  const passwordServices = toPasswordCheckServices(services, address);
  if (newPassword === '') return signInWithPassword(passwordServices, { login, password, session, client, waiter });
  const currentPassword = await renewPassword(services, { login, password, newPassword, address, waiter });
  if (isFailure(currentPassword)) return currentPassword;
  return signInWithPassword(passwordServices, { login, password: currentPassword, session, client, waiter });
}

/**
 * Returns the path to redirect to after a sign-in, or `/` if it is missing or unsafe: browsers would treat `//evil.test` and
 * `/\evil.test` as another host.
 */
export function toSafeReturnPath(path: string | null): string {
  return path !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : '/';
}

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
async function renewPassword(
  services: SignInServices,
  { login, password, newPassword, address, waiter }: RenewPasswordInput,
): Promise<string | Failure<'passwordSignInDisabled' | 'invalid' | 'weak'>> {
  const { database, runUnitOfWork } = services;
  const settings = await loadSettings(database.reader);
  if (!settings.password_authentication_enabled_for_web) return fail('passwordSignInDisabled');
  const passwordCheck = await checkPassword(toPasswordCheckServices(services, address), { login, password }, waiter);
  if (isFailure(passwordCheck)) return passwordCheck;
  const { user } = passwordCheck;
  if (user.password_expires_at === null) return password;
  const [problem] = validateNewPassword({ password, newPassword }, user, settings.minimum_password_length);
  if (problem !== undefined) return fail('weak', { problem });
  const hash = await hashPassword(newPassword, waiter);
  const storeResult = await runUnitOfWork({ user, token: null, address }, (uow) => storePassword(uow, user, hash));
  return isFailure(storeResult) ? storeResult : newPassword;
}

/** Stores the new password and records its change. */
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

/** Returns the errors of the new password. It must differ from the expired one. */
function validateNewPassword(
  { password, newPassword }: Pick<RenewPasswordInput, 'password' | 'newPassword'>,
  user: User,
  minLength: number,
): string[] {
  if (newPassword === password) return ['must be another one than before'];
  return validatePassword(newPassword, user, minLength);
}
