import { isSignedIn } from '#authentication/caller.ts';
import { deleteSession as deleteSessionRow } from '#authentication/sessions/sessions.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, type RedirectReply, redirect } from '#http/endpoint/responses.ts';
import {
  csrfParams,
  ensureSession,
  getLocalReferer,
  type Visitor,
  visitor,
  visitorWithForm,
} from '#http/pages/web-session.ts';
import { createWebShell } from '#http/pages/web-shell.ts';
import { describe, object, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { createExpiredSessionCookie } from '#http/request/cookie.ts';
import { acceptsHtml, type IncomingRequest, localUrl } from '#http/request/incoming.ts';
import { ADDRESSES } from '#web/addresses.ts';
import { createHomePage, createPasswordRenewalPage, createSignInPage } from './pages.ts';
import { signInVisitor } from './sign-in.ts';

export const getHomePage = endpoint({
  get: '/',
  summary: 'Get the home page',
  description:
    'Browsers get the web application: the work of signed-in users, or the public projects. Users whose password has ' +
    'expired get the form to choose another one. Other clients are redirected to the sign-in page.',
  access: visitor(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: html,
  handle({ visitor: { session, caller, passwordExpired }, request }) {
    const isUser = session !== null && isSignedIn(caller);
    if (isUser && passwordExpired) return createPasswordRenewalPage(request, caller.user, session);
    if (acceptsHtml(request)) return createWebShell(request, { session, caller }, ADDRESSES.home.api);
    return isUser ? createHomePage(request, caller.user, session) : { location: localUrl(request, '/users/sign_in') };
  },
});

export const getSignInPage = endpoint({
  get: '/users/sign_in',
  summary: 'Get the sign-in page',
  description:
    'Shows the sign-in form and sets a session cookie. Users who are signed in already are redirected to the home ' +
    'page.',
  access: visitor(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { redirect_to_referer: optional(string) },
  response: html,
  async handle({ visitor, request, params }, services) {
    if (isSignedIn(visitor.caller)) return { location: localUrl(request, '/') };
    const returnTo = params.redirect_to_referer === 'yes' ? getLocalReferer(request) : null;
    const { session, headers } = await ensureSession(services, request, visitor, returnTo);
    return createSignInPage(request, session, services.config, headers);
  },
});

export const signIn = endpoint({
  post: '/users/sign_in',
  summary: 'Sign in with a password',
  description:
    'Receives the sign-in form. If the password is right, sets a new session cookie and redirects to the page that ' +
    'asked for the sign-in. Otherwise returns the form with an error. Ten wrong passwords in a row lock an account ' +
    'for ten minutes. With `new_password`, an expired password is replaced.',
  access: visitorWithForm(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: {
    ...csrfParams,
    user: optional(
      object({
        login: describe(optional(string), 'Username or email address.'),
        password: optional(string),
        new_password: describe(optional(string), 'Replaces an expired password.'),
      }),
    ),
  },
  activity: ['user_password_updated'],
  response: redirect,
  handle({ visitor, params: { user }, request }, services) {
    const { login, password, new_password: newPassword } = user ?? {};
    const form = { login: login ?? '', password: password ?? '', newPassword: newPassword ?? '' };
    return signInVisitor(services, request, visitor.session, form);
  },
});

export const signOut = endpoint({
  post: '/users/sign_out',
  summary: 'Sign out',
  description:
    'Deletes the session, expires its cookie and redirects to the sign-in page. Visitors without a session get the ' +
    'same answer.',
  access: visitor(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: redirect,
  handle: ({ visitor, request }, { runUnitOfWork }) => signOutVisitor(runUnitOfWork, request, visitor),
});

export const deleteSession = endpoint({
  delete: '/users/sign_out',
  summary: 'Sign out with DELETE',
  description:
    'Deletes the session, expires its cookie and redirects to the sign-in page, as `POST /users/sign_out` does.',
  access: visitor(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: redirect,
  handle: ({ visitor, request }, { runUnitOfWork }) => signOutVisitor(runUnitOfWork, request, visitor),
});

/** Deletes the session of a visitor, if there is one. All processes reject its cookie from the next request on. */
async function signOutVisitor(
  runUnitOfWork: RunUnitOfWork,
  request: IncomingRequest,
  { session, caller }: Visitor,
): Promise<RedirectReply> {
  if (session !== null) await runUnitOfWork(caller, (uow) => deleteSessionRow(uow, session.digest));
  return {
    location: localUrl(request, '/users/sign_in'),
    headers: { 'Set-Cookie': createExpiredSessionCookie(request) },
  };
}
