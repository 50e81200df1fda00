import type { CallerUser } from '#authentication/caller.ts';
import type { HtmlReply } from '#http/endpoint/responses.ts';
import { alertBox, csrfField, htmlPage, type Markup, markup } from '#http/pages/html-page.ts';
import { localUrl } from '#http/request/base-url.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Failure } from '#runtime/failure.ts';

/** The session that a page is made for. */
interface Session {
  readonly csrfToken: string;
}

export function signInPage(request: Incoming, { csrfToken }: Session, headers: HtmlReply['headers']): HtmlReply {
  return htmlPage({ title: 'Sign in', main: signInForm(request, csrfToken), csrfToken, headers });
}

/** 422, or 429 after too many failures, why, and the form again. It keeps the login; nothing tells whether that exists. */
export function refusedPage(
  request: Incoming,
  { csrfToken }: Session,
  { login }: { readonly login: string },
  { code, values }: Failure<'invalid' | 'weak' | 'switchedOff' | 'tooMany'>,
): HtmlReply {
  const again = code === 'weak' ? renewalForm(request, csrfToken, login) : signInForm(request, csrfToken, login);
  const main = markup`${alertBox(code === 'weak' ? `Your new password ${values.problem}.` : REASONS[code])}
${again}`;
  const later = code === 'tooMany' ? { status: 429, headers: { 'Retry-After': String(values.seconds) } } : {};
  return htmlPage({ title: 'Sign in', main, csrfToken, status: 422, ...later });
}

const REASONS = {
  invalid: 'Invalid login or password.',
  switchedOff: 'Signing in with a password is switched off on this server.',
  tooMany: 'Too many sign-ins from your network have failed. Try again in ten minutes.',
} as const;

function signInForm(request: Incoming, csrfToken: string, login = ''): Markup {
  return markup`<form method="post" action="${localUrl(request, '/users/sign_in')}">
${csrfField(csrfToken)}
<label for="login">Username or e-mail address</label>
<input id="login" name="user[login]" value="${login}" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
<label for="password">Password</label>
<input id="password" name="user[password]" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>`;
}

export function homePage(request: Incoming, { name, username }: CallerUser, { csrfToken }: Session): HtmlReply {
  const main = markup`<p>You are signed in as <strong>${name}</strong> <span class="quiet">@${username}</span>.</p>
<p><a href="${localUrl(request, '/api/docs')}">What the API can do</a></p>
${signOutForm(request, csrfToken)}`;
  return htmlPage({ title: 'Welcome', main, csrfToken });
}

/** The home page of a user whose password an administrator has set: the API waits for another one. */
export function renewalPage(request: Incoming, { username }: CallerUser, { csrfToken }: Session): HtmlReply {
  const main = markup`<p>Your password has expired. Choose another one, and your tokens work again.</p>
${renewalForm(request, csrfToken, username)}
${signOutForm(request, csrfToken)}`;
  return htmlPage({ title: 'Choose a new password', main, csrfToken });
}

function renewalForm(request: Incoming, csrfToken: string, login: string): Markup {
  return markup`<form method="post" action="${localUrl(request, '/users/sign_in')}">
${csrfField(csrfToken)}
<input type="hidden" name="user[login]" value="${login}">
<label for="password">Present password</label>
<input id="password" name="user[password]" type="password" autocomplete="current-password" required autofocus>
<label for="new_password">New password</label>
<input id="new_password" name="user[new_password]" type="password" autocomplete="new-password" required>
<button>Choose the new password</button>
</form>`;
}

function signOutForm(request: Incoming, csrfToken: string): Markup {
  return markup`<form method="post" action="${localUrl(request, '/users/sign_out')}">
${csrfField(csrfToken)}
<button class="other">Sign out</button>
</form>`;
}
