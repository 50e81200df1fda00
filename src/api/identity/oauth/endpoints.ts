import type { CallerUser } from '#authentication/caller.ts';
import { createGrant } from '#authentication/oauth/authorization-codes.ts';
import {
  findOAuthTokenByAccessToken,
  findOAuthTokenByRefreshToken,
  getInvalidTokenCode,
  hasBlockedUser,
  type InvalidTokenCode,
  type OAuthTokenWithClient,
  revokeOAuthToken as revokeTokenRow,
} from '#authentication/oauth/tokens.ts';
import { describeScope } from '#authentication/tokens/access-tokens.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Access, access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type HtmlReply, html, ok, type RedirectReply, Reply, redirect } from '#http/endpoint/responses.ts';
import { TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { bearerChallenge, HttpError } from '#http/errors/http-error.ts';
import { createAlertBox, createCsrfField, createHtmlPage, type Markup, markup } from '#http/pages/html-page.ts';
import { csrfParams, signedInVisitor, signedInVisitorWithForm } from '#http/pages/web-session.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { getPresentedCredentials } from '#http/request/credentials.ts';
import { type IncomingRequest, localUrl } from '#http/request/incoming.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  type Authorization,
  type AuthorizationRequest,
  authorizationParams,
  redirectWithCode,
  redirectWithError,
  type UntrustedRequest,
  validateAuthorization,
} from './authorization-request.ts';
import { type ClientStatus, clientParams, oauthClientAccess, tokenParams } from './client-authentication.ts';
import { issueToken } from './create-token.ts';
import { Introspection, OAuthTokenInfo, OAuthTokenPair, RevokedToken } from './entities.ts';

/** Data of the consent page, in addition to the authorization. */
interface ConsentPageOptions {
  readonly request: IncomingRequest;
  readonly user: CallerUser;
  readonly csrfToken: string;
  /** The request of the client, repeated by the form. */
  readonly fields: AuthorizationRequest;
}

/** Returns the page that asks the user for consent: it shows the account, the scopes and the redirect target. */
function createConsentPage(
  { application, scopes, clientRedirect }: Authorization,
  { request, user, csrfToken, fields }: ConsentPageOptions,
): HtmlReply {
  const renderForm = (
    formFields: Markup,
  ) => markup`<form method="post" action="${localUrl(request, '/oauth/authorize')}">
${createCsrfField(csrfToken)}
${formFields}
</form>`;
  const main = markup`<p><strong>${application.name}</strong> wants to act for you, <strong>${user.name}</strong> <span class="quiet">@${user.username}</span>. It could:</p>
<ul>
${scopes.map((scope) => markup`<li>${describeScope(scope)} <span class="quiet">(${scope})</span></li>\n`)}</ul>
<p class="quiet">Either way you leave for ${getDisplayHost(clientRedirect.redirectUri)}.</p>
${renderForm(markup`${createHiddenFields(fields)}<button>Authorize ${application.name}</button>`)}
${renderForm(markup`<input type="hidden" name="_method" value="delete">
${createHiddenFields(fields)}<button class="other">Deny</button>`)}`;
  return createHtmlPage({
    title: 'Authorize an application',
    main,
    csrfToken,
    formTargets: [getFormTarget(clientRedirect.redirectUri)],
  });
}

const UNTRUSTED_REASONS: Readonly<Record<UntrustedRequest['invalidField'], string>> = {
  client: 'No application is registered here with this client_id.',
  redirectUri: 'The redirect_uri is none of those that the application has registered.',
};

/** Returns an error page (400) without a redirect, because the redirect URI is not trusted. */
function createUntrustedRequestPage({ invalidField }: UntrustedRequest): HtmlReply {
  const main = markup`${createAlertBox(UNTRUSTED_REASONS[invalidField])}
<p>The request of the application is not valid. It received no access to your account.</p>`;
  return createHtmlPage({ title: 'Invalid authorization request', main, csrfToken: null, status: 400 });
}

/** Returns the fields of the authorization request as hidden fields of the form. */
function createHiddenFields(fields: AuthorizationRequest): readonly Markup[] {
  const textFields = Object.entries(fields).filter(([, value]) => typeof value === 'string');
  return textFields.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value as string}">\n`);
}

/** Returns the host of the redirect URI for display, or the scheme of a native app. */
function getDisplayHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol : host;
}

/**
 * Returns the source for the directive `form-action` of the Content-Security-Policy that allows the redirect. The directive supports
 * neither IPv6 addresses nor hosts of other schemes than http; for these, the scheme is returned.
 */
function getFormTarget(redirectUri: string): string {
  const { origin, hostname, protocol } = new URL(redirectUri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}

/** Parameters that may carry the token in place of the header. */
const bearerParams = {
  access_token: describe(optional(string), 'The OAuth token, instead of the `Authorization` header.'),
  bearer_token: describe(optional(string), 'The OAuth token, instead of the `Authorization` header.'),
};

const INVALID_TOKEN_DESCRIPTIONS: Readonly<Record<InvalidTokenCode | 'unknown', string>> = {
  unknown: 'The access token is invalid',
  expired: 'The access token expired',
  revoked: 'The access token was revoked',
};

/** Admits requests with a valid OAuth token whose user can sign in. Tokens of client credentials have no user. */
function oauthBearerAccess(): Access<{ token: OAuthTokenWithClient }> {
  return access({
    audience: 'user',
    label: 'oauth token',
    authenticate: () => {},
    async load({ db, services, request, params }) {
      const credential = getPresentedCredentials(request, params);
      const token = credential?.scheme === 'bearer' ? await findOAuthTokenByAccessToken(db, credential.secret) : null;
      if (token === null) throw createInvalidTokenError('unknown');
      const invalidCode = getInvalidTokenCode(token, timestamp(services.clock));
      if (invalidCode !== null) throw createInvalidTokenError(invalidCode);
      if (await hasBlockedUser(db, token, services.clock)) throw createInvalidTokenError('unknown');
      return { token };
    },
    authorize: () => {},
  });
}

function createInvalidTokenError(code: InvalidTokenCode | 'unknown'): HttpError {
  const [error, error_description] = ['invalid_token', INVALID_TOKEN_DESCRIPTIONS[code]];
  return new HttpError(401, { error, error_description }, bearerChallenge(error, error_description));
}

// These endpoints are outside /api/v4, where OAuth clients expect them (contract/conventions.md §10 "OAuth 2.0").

const NO_STORE_HEADERS = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

const INVALID_CLIENT_MESSAGE =
  'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.';

const INVALID_CLIENT = [
  401,
  { error: 'invalid_client', error_description: INVALID_CLIENT_MESSAGE },
  { ...bearerChallenge('invalid_client', INVALID_CLIENT_MESSAGE), ...NO_STORE_HEADERS },
] as const;

/** Returns a declared error with status 400 and a body as in RFC 6749. */
const createOAuthError = (error: string, error_description: string) =>
  [400, { error, error_description }, NO_STORE_HEADERS] as const;

const TOKEN_ERRORS = {
  notFound: createOAuthError('invalid_request', 'Missing required parameter: {parameter}.'),
  unsupportedGrantType: createOAuthError(
    'unsupported_grant_type',
    'The authorization grant type is not supported by the authorization server.',
  ),
  invalidClient: INVALID_CLIENT,
  invalidGrant: createOAuthError(
    'invalid_grant',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  ),
  invalidScope: createOAuthError('invalid_scope', 'The requested scope is invalid, unknown, or malformed.'),
  tooMany: TOO_MANY_REQUESTS,
} as const;

export const issueOAuthToken = endpoint({
  post: '/oauth/token',
  summary: 'Create an OAuth access token',
  description:
    'Exchanges an authorization code, a refresh token, a password or the credentials of the application for an ' +
    'access token, which is valid for two hours. Applications authenticate by `client_id` and `client_secret`, or by ' +
    'HTTP Basic. Codes and refresh tokens can be used once; using one again revokes the tokens that came from it.',
  access: oauthClientAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: tokenParams,
  errors: TOKEN_ERRORS,
  response: ok(OAuthTokenPair),
  async handle({ client, params, request }, services) {
    const issuedToken = await issueToken(services, params, { client, requester: request });
    return isFailure(issuedToken) ? issuedToken : new Reply(issuedToken, { headers: NO_STORE_HEADERS });
  },
});

export const getAuthorizationPage = endpoint({
  get: '/oauth/authorize',
  summary: 'Get the consent page of an OAuth application',
  description:
    'Shows the signed-in user which application asks for access, and for which scopes. Other visitors are redirected ' +
    'to the sign-in page. An unknown application or redirect URI answers with an error page; other errors redirect ' +
    'to the application.',
  access: signedInVisitor(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: authorizationParams,
  response: html,
  async handle({ visitor: { caller, session }, params: fields, request }, { database }) {
    const authorization = await validateAuthorization(database.reader, fields);
    if (authorization.kind === 'untrusted') return createUntrustedRequestPage(authorization);
    if (authorization.kind === 'rejected') return redirectWithError(authorization.clientRedirect, authorization.error);
    return createConsentPage(authorization, { request, user: caller.user, csrfToken: session.csrfToken, fields });
  },
});

export const authorizeApplication = endpoint({
  post: '/oauth/authorize',
  summary: 'Authorize or deny an OAuth application',
  description:
    'Receives the form of the consent page and redirects to the application with an authorization code, valid for ' +
    'ten minutes. With `_method=delete`, access is denied and the redirect has the error `access_denied`.',
  access: signedInVisitorWithForm(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: {
    ...csrfParams,
    _method: describe(optional(string), '`delete` denies the access.'),
    ...authorizationParams,
  },
  response: redirect,
  write: (uow, { visitor, params }) =>
    params._method?.toLowerCase() === 'delete'
      ? denyAuthorization(uow, params)
      : authorize(uow, visitor.caller.user, params),
});

export const denyApplication = endpoint({
  delete: '/oauth/authorize',
  summary: 'Deny an OAuth application',
  description: 'Redirects to the application with the error `access_denied`. Nothing is stored.',
  access: signedInVisitorWithForm(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { ...csrfParams, ...authorizationParams },
  response: redirect,
  read: (db, { params }) => denyAuthorization(db, params),
});

export const revokeOAuthToken = endpoint({
  post: '/oauth/revoke',
  summary: 'Revoke an OAuth token',
  description:
    'Revokes an access token together with its refresh token, given either of them. Unknown tokens answer 200 too. ' +
    'Only the application that got a token can revoke it.',
  access: oauthClientAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { ...clientParams, token: describe(optional(string), 'An access token or a refresh token.') },
  errors: {
    notTokenOwner: [
      403,
      { error: 'unauthorized_client', error_description: 'You are not authorized to revoke this token' },
    ],
  },
  response: ok(RevokedToken),
  write: (uow, { client, params }) => revokeClientToken(uow, params.token ?? '', client),
});

export const getOAuthTokenInfo = endpoint({
  get: '/oauth/token/info',
  summary: 'Get information about an OAuth token',
  description:
    'Returns the user, the scopes and the remaining lifetime of the OAuth token that the request carries. Expired, ' +
    'revoked and unknown tokens get 401.',
  access: oauthBearerAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: bearerParams,
  response: ok(OAuthTokenInfo),
  // `handle` instead of `read`, because responses to reads are cached by caller, and this token is not the caller of the request.
  handle: ({ token }) => token,
});

export const introspectOAuthToken = endpoint({
  post: '/oauth/introspect',
  summary: 'Introspect an OAuth token',
  description:
    'Returns whether an access token is active, and if so its scopes and timestamps (RFC 7662). Tokens of other ' +
    'applications appear as not active. The application must authenticate.',
  access: oauthClientAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { ...clientParams, token: describe(optional(string), 'An access token.') },
  errors: { invalidClient: INVALID_CLIENT },
  response: ok(Introspection),
  read: (db, { client, params, base }) => introspectToken(db, { secret: params.token ?? '', client, now: base.now }),
});

/**
 * Returns a valid token of the calling client; null if it does not exist, belongs to another client or its user cannot
 * sign in (RFC 7662).
 */
async function introspectToken(
  db: Reader,
  { secret, client, now }: { readonly secret: string; readonly client: ClientStatus; readonly now: string },
): Promise<OAuthTokenWithClient | null | Failure<'invalidClient'>> {
  if (typeof client === 'string') return fail('invalidClient');
  const token = await findOAuthTokenByAccessToken(db, secret);
  const isValidForClient =
    token !== null && token.application_id === client.id && getInvalidTokenCode(token, now) === null;
  if (!isValidForClient || (await hasBlockedUser(db, token, { now: () => new Date(now) }))) return null;
  return token;
}

/** Grants the requested access: redirects to the application with a code, which it exchanges for a token. */
async function authorize(
  uow: UnitOfWork,
  user: CallerUser,
  request: AuthorizationRequest,
): Promise<HtmlReply | RedirectReply> {
  const authorization = await validateAuthorization(uow, request);
  if (authorization.kind === 'untrusted') return createUntrustedRequestPage(authorization);
  if (authorization.kind === 'rejected') return redirectWithError(authorization.clientRedirect, authorization.error);
  const { application, clientRedirect, scopes, challenge } = authorization;
  const { redirectUri } = clientRedirect;
  return redirectWithCode(
    clientRedirect,
    await createGrant(uow, { applicationId: application.id, userId: user.id, scopes, redirectUri, challenge }),
  );
}

/** Denies the requested access: redirects to the application with `access_denied`. */
async function denyAuthorization(db: Reader, request: AuthorizationRequest): Promise<HtmlReply | RedirectReply> {
  const authorization = await validateAuthorization(db, request);
  return authorization.kind === 'untrusted'
    ? createUntrustedRequestPage(authorization)
    : redirectWithError(authorization.clientRedirect, 'access_denied');
}

/**
 * Revokes an access token and its refresh token, given either of them. An unknown token succeeds (RFC 7009). Only the
 * application of a token may revoke it.
 */
async function revokeClientToken(
  uow: UnitOfWork,
  secret: string,
  client: ClientStatus,
): Promise<Failure<'notTokenOwner'> | undefined> {
  const token = (await findOAuthTokenByAccessToken(uow, secret)) ?? (await findOAuthTokenByRefreshToken(uow, secret));
  if (token === null) return;
  const clientId = typeof client === 'string' ? null : client.id;
  if (token.application_id !== null && token.application_id !== clientId) return fail('notTokenOwner');
  await revokeTokenRow(uow, token.id);
}
