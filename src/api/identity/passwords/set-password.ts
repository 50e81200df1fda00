import { describeChange } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { confirmPrimaryAddress } from '#authentication/users/email-confirmations.ts';
import { findUserByPasswordLink, redeemPasswordLink } from '#authentication/users/password-links.ts';
import { validatePassword } from '#authentication/users/password-rules.ts';
import { type User, updateUser } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { HtmlReply } from '#http/endpoint/responses.ts';
import type { WebSession } from '#http/pages/web-session.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordUserEvent, unlockUser } from '../users/index.ts';
import { createPasswordPage, createPasswordSetPage, type PasswordProblem } from './pages.ts';

type PasswordServices = Pick<Services, 'config' | 'database' | 'clock' | 'runUnitOfWork'>;

/** The fields of the form. */
interface PasswordForm {
  readonly reset_password_token?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly password_confirmation?: string | null | undefined;
}

/** Sets the password of the user of a link, and returns the next page, or the form with an error. */
export async function setPassword(
  services: PasswordServices,
  request: IncomingRequest,
  session: WebSession,
  form: PasswordForm,
): Promise<HtmlReply> {
  const token = form.reset_password_token ?? '';
  const problem = await replacePassword(services, request, { token, form });
  if (problem !== null) return createPasswordPage(request, session, services.config, { token, problem });
  return createPasswordSetPage(request, session);
}

/** Returns why no password can be set with this link, or null. */
export async function findLinkProblem(
  { database, clock }: Pick<PasswordServices, 'database' | 'clock'>,
  token: string,
): Promise<PasswordProblem | null> {
  if (!(await loadSettings(database.reader)).password_authentication_enabled_for_web)
    return fail('passwordSignInDisabled');
  const user = await findUserByPasswordLink(database.reader, token, timestamp(clock));
  return user === null ? fail('invalidLink') : null;
}

async function replacePassword(
  services: PasswordServices,
  { client, clientAddress }: Pick<IncomingRequest, 'client' | 'clientAddress'>,
  { token, form }: { readonly token: string; readonly form: PasswordForm },
): Promise<PasswordProblem | null> {
  const { database, clock, runUnitOfWork } = services;
  const linkProblem = await findLinkProblem(services, token);
  const user = await findUserByPasswordLink(database.reader, token, timestamp(clock));
  if (linkProblem !== null || user === null) return linkProblem ?? fail('invalidLink');
  const password = form.password ?? '';
  if (form.password_confirmation != null && form.password_confirmation !== password) return fail('different');
  const { minimum_password_length: minLength } = await loadSettings(database.reader);
  const [problem] = validatePassword(password, user, minLength);
  if (problem !== undefined) return fail('weak', { problem });
  const hash = await hashPassword(password, { client });
  const actor = { user, token: null, address: clientAddress };
  const result = await runUnitOfWork(actor, (uow) => storePassword(uow, token, hash));
  return isFailure(result) ? result : null;
}

/** Redeems the link, stores the password, ends all sessions of the user and the lock of the account. */
async function storePassword(uow: UnitOfWork<SignedInCaller>, token: string, hash: string) {
  const user: User | null = await redeemPasswordLink(uow, token);
  if (user === null || user.id !== uow.actor.user.id) return fail('invalidLink');
  const updatedUser = await updateUser(uow, user, { password: { hash, expired: false } });
  if (isFailure(updatedUser)) return fail('invalidLink');
  await recordUserEvent(uow, user, {
    name: 'user_password_updated',
    targetDetails: user.name,
    ...describeChange('password'),
  });
  // The link came in a mail to the primary address.
  await confirmPrimaryAddress(uow, user);
  await unlockUser(uow, user.id);
  return undefined;
}
