import { signInWithPassword } from '#authentication/sessions/web-sign-in.ts';
import type { HtmlReply, RedirectReply } from '#http/endpoint/responses.ts';
import type { WebSession } from '#http/pages/web-session.ts';
import { localUrl } from '#http/request/base-url.ts';
import { cookieOf } from '#http/request/cookie.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { limitFailures } from '#rate-limits/failed-sign-ins.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { refusedPage } from './pages.ts';
import { renewPassword } from './renew-password.ts';
import { returnPath } from './return-path.ts';

/** What the form says. */
interface SignInForm {
  readonly login: string;
  readonly password: string;
  /** Chosen in place of one that has expired; empty from the plain form. */
  readonly newPassword: string;
}

/** The visitor signed in with a new cookie and on the way to the page that asked for it, or the form again and why. */
export async function signInVisitor(
  services: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  request: Incoming,
  session: WebSession,
  form: SignInForm,
): Promise<RedirectReply | HtmlReply> {
  const signedIn = await limitFailures(services, request.clientAddress, () =>
    renewAndSignIn(services, request, session, form),
  );
  if (isFailure(signedIn)) return refusedPage(request, session, form, signedIn);
  return {
    location: localUrl(request, returnPath(session.returnTo)),
    headers: { 'Set-Cookie': cookieOf(request, signedIn.secret) },
  };
}

async function renewAndSignIn(
  services: Pick<Services, 'database' | 'runUnitOfWork'>,
  { clientAddress: address }: Incoming,
  session: WebSession,
  { login, password, newPassword }: SignInForm,
): Promise<{ readonly secret: string } | Failure<'invalid' | 'weak' | 'switchedOff'>> {
  if (newPassword === '') return signInWithPassword(services, { login, password, session, address });
  const present = await renewPassword(services, { login, password, newPassword, address });
  if (isFailure(present)) return present;
  return signInWithPassword(services, { login, password: present, session, address });
}
