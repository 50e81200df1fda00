import type { CallerUser } from '#authentication/caller.ts';
import type { Config } from '#config.ts';
import type { HtmlReply } from '#http/endpoint/responses.ts';
import { createAlertBox, createCsrfField, createHtmlPage, type Markup, markup } from '#http/pages/html-page.ts';
import { type IncomingRequest, localUrl } from '#http/request/incoming.ts';
import type { Failure } from '#runtime/failure.ts';
import { canSendLinks } from '../users/index.ts';

/** The session of the visitor. */
interface PageSession {
  readonly csrfToken: string;
}

/** Returns the page with the sign-in form. */
export function createSignInPage(
  request: IncomingRequest,
  { csrfToken }: PageSession,
  config: Pick<Config, 'mail'>,
  headers: HtmlReply['headers'],
): HtmlReply {
  const main = markup`${createSignInForm(request, csrfToken)}
${createForgottenPasswordLink(request, config)}`;
  return createHtmlPage({ title: 'Sign in', main, csrfToken, headers });
}

function createForgottenPasswordLink(request: IncomingRequest, config: Pick<Config, 'mail'>): Markup | null {
  if (!canSendLinks(config)) return null;
  return markup`<p><a href="${localUrl(request, '/users/password/new')}">Forgotten password?</a></p>`;
}

/**
 * Returns the form again, filled with the login, and an error. The status is 422, or 429 after too many failures. The response does
 * not disclose whether the login exists.
 */
export function createSignInErrorPage(
  request: IncomingRequest,
  { csrfToken }: PageSession,
  { login, config }: { readonly login: string; readonly config: Pick<Config, 'mail'> },
  { code, values }: Failure<'invalid' | 'weak' | 'passwordSignInDisabled' | 'tooMany'>,
): HtmlReply {
  const retryForm =
    code === 'weak'
      ? createPasswordRenewalForm(request, csrfToken, login)
      : createSignInForm(request, csrfToken, login);
  const main = markup`${createAlertBox(code === 'weak' ? `Your new password ${values.problem}.` : ERROR_MESSAGES[code])}
${retryForm}
${createForgottenPasswordLink(request, config)}`;
  const retryOptions = code === 'tooMany' ? { status: 429, headers: { 'Retry-After': String(values.seconds) } } : {};
  return createHtmlPage({ title: 'Sign in', main, csrfToken, status: 422, ...retryOptions });
}

const ERROR_MESSAGES = {
  invalid: 'Invalid login or password.',
  passwordSignInDisabled: 'Signing in with a password is switched off on this server.',
  tooMany: 'Too many sign-ins from your network have failed. Try again in ten minutes.',
} as const;

function createSignInForm(request: IncomingRequest, csrfToken: string, login = ''): Markup {
  return markup`<form method="post" action="${localUrl(request, '/users/sign_in')}">
${createCsrfField(csrfToken)}
<label for="login">Username or e-mail address</label>
<input id="login" name="user[login]" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
<label for="password">Password</label>
<input id="password" name="user[password]" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>`;
}

/** Returns the start page of a signed-in user. */
export function createHomePage(
  request: IncomingRequest,
  { name, username }: CallerUser,
  { csrfToken }: PageSession,
): HtmlReply {
  const main = markup`<p>You are signed in as <strong>${name}</strong> <span class="quiet">@${username}</span>.</p>
<p><a href="${localUrl(request, '/api/docs')}">What the API can do</a></p>
${createSignOutForm(request, csrfToken)}`;
  return createHtmlPage({ title: 'Welcome', main, csrfToken });
}

/** Returns the home page of a user whose password has expired, with the form to choose a new one. */
export function createPasswordRenewalPage(
  request: IncomingRequest,
  { username }: CallerUser,
  { csrfToken }: PageSession,
): HtmlReply {
  const main = markup`<p>Your password has expired. Choose another one, and your tokens work again.</p>
${createPasswordRenewalForm(request, csrfToken, username)}
${createSignOutForm(request, csrfToken)}`;
  return createHtmlPage({ title: 'Choose a new password', main, csrfToken });
}

/** Returns the form for the present and the new password. */
function createPasswordRenewalForm(request: IncomingRequest, csrfToken: string, login: string): Markup {
  return markup`<form method="post" action="${localUrl(request, '/users/sign_in')}">
${createCsrfField(csrfToken)}
<input type="hidden" name="user[login]" value="${login}">
<label for="password">Present password</label>
<input id="password" name="user[password]" type="password" autocomplete="current-password" required autofocus>
<label for="new_password">New password</label>
<input id="new_password" name="user[new_password]" type="password" autocomplete="new-password" required>
<button>Choose the new password</button>
</form>`;
}

function createSignOutForm(request: IncomingRequest, csrfToken: string): Markup {
  return markup`<form method="post" action="${localUrl(request, '/users/sign_out')}">
${createCsrfField(csrfToken)}
<button class="other">Sign out</button>
</form>`;
}
