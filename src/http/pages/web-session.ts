import { type Caller, getSignInBlock, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import {
  createSession,
  createSessionSecret,
  deriveCsrfToken,
  findSession,
  updateReturnTo,
} from '#authentication/sessions/sessions.ts';
import { getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import { getRateLimitWindow } from '#rate-limits/window-counters.ts';
import { type Access, type AccessCall, access } from '../access/access.ts';
import { HttpError } from '../errors/http-error.ts';
import { optional } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { createSessionCookie, getCsrfToken, getSessionSecret, isCsrfToken } from '../request/cookie.ts';
import { getPathPrefix, type IncomingRequest, localUrl } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import { createAlertBox, createHtmlError, markup } from './html-page.ts';

/**
 * Access for HTML pages: only the session cookie authenticates (contract/conventions.md §7 "Web sign-in and session cookie").
 * Their endpoints have the stage order `clientToken`.
 */

/** The session of a browser, as HTML pages use it. */
export interface WebSession {
  readonly digest: string;
  /** CSRF token for the forms of the page. */
  readonly csrfToken: string;
  /** The page to return to after the sign-in. */
  readonly returnTo: string | null;
}

/** A browser that requests a page, signed in or not. */
export interface Visitor {
  /** Null if the browser has no session, or it has expired. */
  readonly session: WebSession | null;
  /** The signed-in user; anonymous without one, or if the user is blocked. */
  readonly caller: Caller;
  /** Whether an administrator has set the password: the API is blocked until the user chooses another one. */
  readonly passwordExpired: boolean;
}

interface SignedInVisitor extends Visitor {
  readonly session: WebSession;
  readonly caller: SignedInCaller;
}

/** The CSRF token that forms send; endpoints for forms spread this into their `params`. */
export const csrfParams = { authenticity_token: optional(string) };

/** Allows every browser. */
export function visitor(): Access<{ visitor: Visitor }> {
  return access({
    audience: 'open',
    label: 'web',
    authenticate: () => {},
    load: async (call) => ({ visitor: await loadVisitor(call) }),
    authorize: () => {},
  });
}

/** Allows every browser that sends a form with a valid CSRF token; 422 otherwise. */
export function visitorWithForm(): Access<{ visitor: Visitor & { readonly session: WebSession } }> {
  return access({
    audience: 'tokenHolder',
    label: 'web form',
    authenticate: () => {},
    async load(call) {
      const visitor = await loadVisitor(call);
      if (visitor.session === null) throw createFormExpiredError();
      return { visitor: { ...visitor, session: visitor.session } };
    },
    authorize: (call, { visitor }) => requireCsrfToken(call, visitor.session),
  });
}

/** Allows signed-in users; redirects others to the sign-in page, and back afterwards. */
export function signedInVisitor(): Access<{ visitor: SignedInVisitor }> {
  return access({
    audience: 'user',
    label: 'web:user',
    authenticate: () => {},
    load: async (call) => ({ visitor: await loadSignedInVisitor(call) }),
    authorize: () => {},
  });
}

/** Allows signed-in users that send a form with a valid CSRF token; 422 otherwise. */
export function signedInVisitorWithForm(): Access<{ visitor: SignedInVisitor }> {
  return signedInVisitor()
    .require((call, { visitor }) => requireCsrfToken(call, visitor.session))
    .withLabel('web:user form');
}

async function loadVisitor({ services, db, request }: AccessCall): Promise<Visitor> {
  const anonymousCaller: Caller = { user: null, token: null, address: request.clientAddress };
  const secret = getSessionSecret(request);
  const storedSession = secret === null ? null : await findSession(db, secret, services.clock.now());
  if (secret === null || storedSession === null)
    return { session: null, caller: anonymousCaller, passwordExpired: false };
  services.tokenUsage.recordSession(services.database, storedSession, request.clientAddress);
  const session: WebSession = {
    digest: storedSession.digest,
    csrfToken: deriveCsrfToken(secret),
    returnTo: storedSession.returnTo,
  };
  const { user } = storedSession;
  const signInBlock = user === null ? null : getSignInBlock(user, services.clock);
  const passwordExpired = signInBlock === 'password_expired';
  if (user === null || (signInBlock !== null && !passwordExpired))
    return { session, caller: anonymousCaller, passwordExpired };
  services.tokenUsage.recordUser(services.database, user);
  return { session, caller: { ...anonymousCaller, user, sessionDigest: session.digest }, passwordExpired };
}

async function loadSignedInVisitor(call: AccessCall): Promise<SignedInVisitor> {
  const visitor = await loadVisitor(call);
  const { session, caller } = visitor;
  if (session !== null && isSignedIn(caller)) return { ...visitor, session, caller };
  throw await redirectToSignIn(call, session);
}

function requireCsrfToken({ request, params }: AccessCall, session: WebSession): void {
  const token = getCsrfToken(request, params.authenticity_token);
  const secret = getSessionSecret(request);
  if (secret === null || session === null || !isCsrfToken(token, secret)) throw createFormExpiredError();
}

function createFormExpiredError(): HttpError {
  const main = markup`${createAlertBox('This form is not valid any more.')}<p>Go back, load the page again and send it once more.</p>`;
  return createHtmlError(422, { title: 'The form has expired', main });
}

function createTooManyVisitsError(): HttpError {
  const main = markup`${createAlertBox('Too many visits without a cookie have come from your network.')}<p>Try again in ten minutes, and let your browser keep the cookie of this server.</p>`;
  return createHtmlError(429, { title: 'Too many visits', main }, { 'Retry-After': String(SESSION_LIMIT_SECONDS) });
}

/** Maximum length of a return path in characters; longer paths are not stored. */
const MAX_RETURN_PATH_LENGTH = 8_000;

/** Returns a redirect (302) to the sign-in page. Stores the path of a GET in the session; forms are not repeated. */
async function redirectToSignIn({ services, request }: AccessCall, session: WebSession | null): Promise<HttpError> {
  const { path, query, method } = request;
  const requestedPage = query === '' ? path : `${path}?${query}`;
  const returnTo = method === 'GET' && requestedPage.length <= MAX_RETURN_PATH_LENGTH ? requestedPage : null;
  const Location = localUrl(request, '/users/sign_in');
  if (returnTo === null) return new HttpError(302, '', { Location });
  if (session === null) {
    const { headers } = await startVisitorSession(services, request, returnTo);
    return new HttpError(302, '', { Location, ...headers });
  }
  await services.database.transaction((tx) => updateReturnTo(tx, session.digest, returnTo));
  return new HttpError(302, '', { Location });
}

/**
 * Returns the session of a visitor, creating one if there is none, and the headers that set its cookie. `returnTo` is the path and
 * query to return to after the sign-in.
 */
export async function ensureSession(
  services: VisitServices,
  request: IncomingRequest,
  { session }: Visitor,
  returnTo: string | null = null,
): Promise<{ readonly session: { readonly csrfToken: string }; readonly headers: Readonly<Record<string, string>> }> {
  if (session === null) return startVisitorSession(services, request, returnTo);
  if (returnTo !== null) await services.database.transaction((tx) => updateReturnTo(tx, session.digest, returnTo));
  return { session, headers: {} };
}

/** Returns path and query of the page that the browser came from; null if that is not a page of this server. */
export function getLocalReferer(request: Pick<IncomingRequest, 'headers' | 'baseUrl'>): string | null {
  const referer = URL.parse(request.headers.referer ?? '');
  const base = new URL(request.baseUrl);
  const prefix = getPathPrefix(request.baseUrl);
  if (referer === null || referer.origin !== base.origin || !referer.pathname.startsWith(`${prefix}/`)) return null;
  const path = referer.pathname.slice(prefix.length) + referer.search;
  return path.length <= MAX_RETURN_PATH_LENGTH ? path : null;
}

/** The services that create the session of a visitor. */
type VisitServices = Pick<Services, 'database' | 'clock' | 'countRequest'>;

/** Maximum number of anonymous sessions per network in ten minutes. Each is a row that is stored for a day. */
const MAX_SESSIONS_PER_NETWORK = 300;
const SESSION_LIMIT_SECONDS = 600;

async function startVisitorSession(
  { database, clock, countRequest }: VisitServices,
  request: IncomingRequest,
  returnTo: string | null = null,
) {
  const window = getRateLimitWindow(
    clock.now(),
    `web_visit:${getClientNetwork(request.clientAddress)}`,
    SESSION_LIMIT_SECONDS,
  );
  if ((await countRequest(window)) > MAX_SESSIONS_PER_NETWORK) throw createTooManyVisitsError();
  const secret = createSessionSecret();
  await database.transaction((tx) => createSession(tx, { secret, userId: null, returnTo }));
  return {
    session: { csrfToken: deriveCsrfToken(secret) },
    headers: { 'Set-Cookie': createSessionCookie(request, secret) },
  };
}
