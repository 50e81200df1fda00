import { type Caller, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import {
  csrfTokenOf,
  findSession,
  newSessionSecret,
  rememberReturn,
  startSession,
} from '#authentication/sessions/sessions.ts';
import { userBar } from '#authentication/sign-in-blocks.ts';
import { networkOf } from '#rate-limits/client-network.ts';
import { windowAt } from '#rate-limits/window-counters.ts';
import { type Access, type AccessCall, access } from '../access/access.ts';
import { HttpError } from '../errors/http-error.ts';
import { optional } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { localUrl } from '../request/base-url.ts';
import { cookieOf, givenCsrfToken, isCsrfToken, sessionSecret } from '../request/cookie.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Services } from '../services.ts';
import { alertBox, htmlPage, markup } from './html-page.ts';

/**
 * Pages that a browser visits: its session cookie says who calls, and nothing else does (contract/conventions.md §7 "Web
 * sign-in and session cookie"). Their endpoints have the order `ownProof`.
 */

/** A session as pages use it. */
export interface WebSession {
  readonly digest: string;
  /** For the forms of a page made for it. */
  readonly csrfToken: string;
  /** The page that asked for a sign-in. */
  readonly returnTo: string | null;
}

export interface Visitor {
  /** null: the browser has none yet, or it is over. */
  readonly session: WebSession | null;
  /** Nobody, unless a user has signed in who may come in still. */
  readonly caller: Caller;
  /** An administrator has set the user's password: the API waits until the user has chosen another one. */
  readonly passwordExpired: boolean;
}

interface SignedInVisitor extends Visitor {
  readonly session: WebSession;
  readonly caller: SignedInCaller;
}

/** What a form of our pages sends besides its own fields; endpoints that take forms spread it into their `params`. */
export const formParams = { authenticity_token: optional(string) };

/** Anybody with a browser. */
export function visitor(): Access<{ visitor: Visitor }> {
  return access({
    audience: 'open',
    label: 'web',
    authenticate: () => {},
    load: async (call) => ({ visitor: await visitorOf(call) }),
    authorize: () => {},
  });
}

/** Anybody who sends a form that came from a page of ours; 422 otherwise. */
export function visitorWithForm(): Access<{ visitor: Visitor & { readonly session: WebSession } }> {
  return access({
    audience: 'key',
    label: 'web form',
    authenticate: () => {},
    async load(call) {
      const found = await visitorOf(call);
      if (found.session === null) throw staleForm();
      return { visitor: { ...found, session: found.session } };
    },
    authorize: (call, found) => requireForm(call, found.visitor.session),
  });
}

/** Somebody who has signed in; others are sent to do so, and come back to this page afterwards. */
export function signedInVisitor(): Access<{ visitor: SignedInVisitor }> {
  return access({
    audience: 'user',
    label: 'web:user',
    authenticate: () => {},
    load: async (call) => ({ visitor: await signedInVisitorOf(call) }),
    authorize: () => {},
  });
}

/** The same with a form that came from a page of ours; 422 otherwise. */
export function signedInVisitorWithForm(): Access<{ visitor: SignedInVisitor }> {
  return signedInVisitor().require((call, { visitor }) => requireForm(call, visitor.session), 'web:user form');
}

async function visitorOf({ services, db, request }: AccessCall): Promise<Visitor> {
  const nobody: Caller = { user: null, token: null, address: request.clientAddress };
  const secret = sessionSecret(request);
  const found = secret === null ? null : await findSession(db, secret, services.clock.now());
  if (secret === null || found === null) return { session: null, caller: nobody, passwordExpired: false };
  services.tokenUses.noteSession(found);
  const session: WebSession = { digest: found.digest, csrfToken: csrfTokenOf(secret), returnTo: found.returnTo };
  const { user } = found;
  const bar = user === null ? null : userBar(user, services.clock);
  const passwordExpired = bar === 'password_expired';
  if (user === null || (bar !== null && !passwordExpired)) return { session, caller: nobody, passwordExpired };
  services.tokenUses.noteUser(user);
  return { session, caller: { ...nobody, user, session: session.digest }, passwordExpired };
}

async function signedInVisitorOf(call: AccessCall): Promise<SignedInVisitor> {
  const found = await visitorOf(call);
  const { session, caller } = found;
  if (session !== null && isSignedIn(caller)) return { ...found, session, caller };
  throw await signInFirst(call, session);
}

function requireForm({ request, params }: AccessCall, session: WebSession): void {
  const token = givenCsrfToken(request, params.authenticity_token);
  const secret = sessionSecret(request);
  if (secret === null || session === null || !isCsrfToken(token, secret)) throw staleForm();
}

function staleForm(): HttpError {
  const main = markup`${alertBox('This form is not valid any more.')}<p>Go back, load the page again and send it once more.</p>`;
  const { body, headers } = htmlPage({ title: 'The form has expired', main, csrfToken: null });
  return new HttpError(422, body, { 'Content-Type': 'text/html; charset=utf-8', ...(headers as {}) });
}

function tooManyVisits(): HttpError {
  const main = markup`${alertBox('Too many visits without a cookie have come from your network.')}<p>Try again in ten minutes, and let your browser keep the cookie of this server.</p>`;
  const { body, headers } = htmlPage({ title: 'Too many visits', main, csrfToken: null });
  const later = { 'Content-Type': 'text/html; charset=utf-8', 'Retry-After': String(PERIOD_SECONDS) };
  return new HttpError(429, body, { ...later, ...(headers as {}) });
}

/** A longer address is not worth its row. */
const LONGEST_RETURN = 8_000;

/** 302 to the sign-in form. A page that was asked for is kept in the session; what a form wanted is not repeated. */
async function signInFirst({ services, request }: AccessCall, session: WebSession | null): Promise<HttpError> {
  const { path, query, method } = request;
  const page = query === '' ? path : `${path}?${query}`;
  const returnTo = method === 'GET' && page.length <= LONGEST_RETURN ? page : null;
  const Location = localUrl(request, '/users/sign_in');
  if (returnTo === null) return new HttpError(302, '', { Location });
  if (session === null) {
    const { headers } = await startVisit(services, request, returnTo);
    return new HttpError(302, '', { Location, ...headers });
  }
  await services.database.transaction((tx) => rememberReturn(tx, session.digest, returnTo));
  return new HttpError(302, '', { Location });
}

/** The session for the form of a page, and the headers that hand it over if the visitor had none. */
export async function formSession(
  services: VisitServices,
  request: Incoming,
  { session }: Visitor,
): Promise<{ readonly session: { readonly csrfToken: string }; readonly headers: Readonly<Record<string, string>> }> {
  return session === null ? startVisit(services, request) : { session, headers: {} };
}

type VisitServices = Pick<Services, 'database' | 'clock' | 'countRequest'>;

/** Sessions of visitors who have not signed in that one network begins in ten minutes: each is a row that stays for a day. */
const MOST_VISITS = 300;
const PERIOD_SECONDS = 600;

async function startVisit({ database, clock, countRequest }: VisitServices, request: Incoming, returnTo?: string) {
  const visits = windowAt(clock.now(), `web_visit:${networkOf(request.clientAddress)}`, PERIOD_SECONDS);
  if ((await countRequest(visits)) > MOST_VISITS) throw tooManyVisits();
  const secret = newSessionSecret();
  await database.transaction((tx) => startSession(tx, { secret, userId: null, returnTo }));
  return { session: { csrfToken: csrfTokenOf(secret) }, headers: { 'Set-Cookie': cookieOf(request, secret) } };
}
