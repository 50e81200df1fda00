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

type MailConfig = Pick<Config, 'mail'>;

/** Why no link was requested, or no password set. */
export type PasswordProblem = Failure<
  'noMailDelivery' | 'passwordSignInDisabled' | 'tooMany' | 'invalidLink' | 'different' | 'weak'
>;

interface LinkRequestPageOptions {
  readonly headers?: HtmlReply['headers'];
  readonly problem?: PasswordProblem | null;
}

/** Returns the page that requests a link; with a problem 422, or 429 after too many requests. */
export function createLinkRequestPage(
  request: IncomingRequest,
  { csrfToken }: PageSession,
  config: MailConfig,
  { headers, problem = null }: LinkRequestPageOptions = {},
): HtmlReply {
  const main = canSendLinks(config)
    ? markup`${createProblemBox(problem)}
<p>Enter the e-mail address of your account. A mail with a link that sets a new password goes to it.</p>
<form method="post" action="${localUrl(request, '/users/password')}">
${createCsrfField(csrfToken)}
<label for="email">E-mail address</label>
<input id="email" name="user[email]" type="email" autocomplete="email" maxlength="255" required autofocus>
<button>Send the link</button>
</form>
${createSignInLink(request)}`
    : markup`<p>${PROBLEMS.noMailDelivery}</p>
${createSignInLink(request)}`;
  return createHtmlPage({ title: FORGOTTEN, main, csrfToken, ...createProblemOptions(problem, headers) });
}

const FORGOTTEN = 'Forgotten password';

/** Returns the answer to every request for a link, whether or not there is such an account. */
export function createLinkRequestedPage(request: IncomingRequest, { csrfToken }: PageSession): HtmlReply {
  const main = markup`<p>If there is an account with this address, a mail with a link is on its way. The link works for two days.</p>
${createSignInLink(request)}`;
  return createHtmlPage({ title: FORGOTTEN, main, csrfToken });
}

interface PasswordPageOptions {
  /** The token of the link. */
  readonly token: string;
  readonly headers?: HtmlReply['headers'];
  readonly problem: PasswordProblem | null;
}

/** Returns the page of a link that sets a password; with a problem 422. */
export function createPasswordPage(
  request: IncomingRequest,
  { csrfToken }: PageSession,
  config: MailConfig,
  { token, headers, problem }: PasswordPageOptions,
): HtmlReply {
  const form = markup`<form method="post" action="${localUrl(request, '/users/password')}">
${createCsrfField(csrfToken)}
<input type="hidden" name="_method" value="put">
<input type="hidden" name="user[reset_password_token]" value="${token}">
<label for="password">New password</label>
<input id="password" name="user[password]" type="password" autocomplete="new-password" required autofocus>
<label for="password_confirmation">The new password again</label>
<input id="password_confirmation" name="user[password_confirmation]" type="password" autocomplete="new-password" required>
<button>Set the password</button>
</form>`;
  const newLink = canSendLinks(config)
    ? markup`<p><a href="${localUrl(request, '/users/password/new')}">Request another link</a></p>`
    : null;
  const canRetry = problem === null || problem.code === 'weak' || problem.code === 'different';
  const main = markup`${createProblemBox(problem)}
${canRetry ? form : newLink}`;
  return createHtmlPage({ title: 'Set a password', main, csrfToken, ...createProblemOptions(problem, headers) });
}

/** Returns the page after a password is set. */
export function createPasswordSetPage(request: IncomingRequest, { csrfToken }: PageSession): HtmlReply {
  const main = markup`<p>Your password is set. Your sessions with the old one have ended.</p>
${createSignInLink(request)}`;
  return createHtmlPage({ title: 'Your password is set', main, csrfToken });
}

function createSignInLink(request: IncomingRequest): Markup {
  return markup`<p><a href="${localUrl(request, '/users/sign_in')}">Sign in</a></p>`;
}

const PROBLEMS = {
  noMailDelivery: 'This server sends no mails. Ask an administrator for a new password.',
  passwordSignInDisabled: 'Signing in with a password is switched off on this server.',
  tooMany: 'Too many links were requested from your network. Try again in ten minutes.',
  invalidLink: 'This link is not valid any more: it works once, for two days, until the next one is sent.',
  different: 'The two passwords differ.',
} as const;

function createProblemBox(problem: PasswordProblem | null): Markup | null {
  if (problem === null) return null;
  const { code, values } = problem;
  return createAlertBox(code === 'weak' ? `Your new password ${values.problem}.` : PROBLEMS[code]);
}

function createProblemOptions(problem: PasswordProblem | null, headers: HtmlReply['headers'] = {}) {
  if (problem === null) return { headers };
  if (problem.code !== 'tooMany') return { headers, status: 422 };
  return { headers: { ...headers, 'Retry-After': String(problem.values.seconds) }, status: 429 };
}
