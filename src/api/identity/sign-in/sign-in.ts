import { signInWithPassword } from '#authentication/sessions/web-sign-in.ts';
import type { HtmlReply, RedirectReply } from '#http/endpoint/responses.ts';
import type { WebSession } from '#http/pages/web-session.ts';
import { localUrl } from '#http/request/base-url.ts';
import { createSessionCookie } from '#http/request/cookie.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { limitFailedSignIns } from '#rate-limits/failed-sign-ins.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { createSignInErrorPage } from './pages.ts';
import { renewPassword } from './renew-password.ts';
import { toSafeReturnPath } from './return-path.ts';

/** The fields of the sign-in form. */
interface SignInForm {
  readonly login: string;
  readonly password: string;
  /** New password that replaces an expired one; empty in the form without this field. */
  readonly newPassword: string;
}

/** Signs a visitor in: sets a new cookie and redirects to the requested page, or returns the form with an error. */
export async function signInVisitor(
  services: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  request: IncomingRequest,
  session: WebSession,
  input: SignInForm,
): Promise<RedirectReply | HtmlReply> {
  const signInResult = await limitFailedSignIns(services, request, (waiter) =>
    renewAndSignIn(services, { address: request.clientAddress, waiter }, session, input),
  );
  if (isFailure(signInResult)) return createSignInErrorPage(request, session, input, signInResult);
  return {
    location: localUrl(request, toSafeReturnPath(session.returnTo)),
    headers: { 'Set-Cookie': createSessionCookie(request, signInResult.secret) },
  };
}

async function renewAndSignIn(
  services: Pick<Services, 'database' | 'runUnitOfWork'>,
  { address, waiter }: { readonly address: string; readonly waiter: Waiter },
  session: WebSession,
  { login, password, newPassword }: SignInForm,
): Promise<{ readonly secret: string } | Failure<'invalid' | 'weak' | 'passwordSignInDisabled'>> {
  if (newPassword === '') return signInWithPassword(services, { login, password, session, address, waiter });
  const currentPassword = await renewPassword(services, { login, password, newPassword, address, waiter });
  if (isFailure(currentPassword)) return currentPassword;
  return signInWithPassword(services, { login, password: currentPassword, session, address, waiter });
}
