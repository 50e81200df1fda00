import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, ok, Reply, redirect } from '#http/endpoint/responses.ts';
import { TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { bearerChallenge } from '#http/errors/http-error.ts';
import { csrfParams, signedInVisitor, signedInVisitorWithForm } from '#http/pages/web-session.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { isFailure } from '#runtime/failure.ts';
import { authorizationParams, validateAuthorization } from './authorization-request.ts';
import { authorize, denyAuthorization } from './authorize.ts';
import { bearerParams, oauthBearerAccess } from './bearer-parameter.ts';
import { clientParams, oauthClientAccess } from './client-authentication.ts';
import { issueToken } from './create-token.ts';
import { Introspection, OAuthTokenInfo, OAuthTokenPair, RevokedToken } from './entities.ts';
import { introspectToken } from './introspect.ts';
import { createConsentPage, createUntrustedRequestPage } from './pages.ts';
import { redirectWithError } from './redirect-to-client.ts';
import { revokeClientToken } from './revoke.ts';
import { tokenParams } from './token-request.ts';

// These endpoints are outside /api/v4, where OAuth clients expect them (contract/conventions.md §10 "OAuth 2.0").

const NO_STORE_HEADERS = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

const INVALID_CLIENT_MESSAGE =
  'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.';

const INVALID_CLIENT = [
  401,
  { error: 'invalid_client', error_description: INVALID_CLIENT_MESSAGE },
  { ...bearerChallenge('invalid_client', INVALID_CLIENT_MESSAGE), ...NO_STORE_HEADERS },
] as const;

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
  access: signedInVisitorWithForm(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { ...csrfParams, _method: optional(string), ...authorizationParams },
  response: redirect,
  write: (uow, { visitor, params }) =>
    params._method?.toLowerCase() === 'delete'
      ? denyAuthorization(uow, params)
      : authorize(uow, visitor.caller.user, params),
});

export const denyApplication = endpoint({
  delete: '/oauth/authorize',
  summary: 'Deny an OAuth application',
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
  access: oauthClientAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { ...clientParams, token: optional(string) },
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
  access: oauthBearerAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: bearerParams,
  response: ok(OAuthTokenInfo),
  // `handle` instead of `read`: responses to reads are cached per caller, and a mere token has no caller.
  handle: ({ token }) => token,
});

export const introspectOAuthToken = endpoint({
  post: '/oauth/introspect',
  summary: 'Introspect an OAuth token',
  access: oauthClientAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  params: { ...clientParams, token: optional(string) },
  errors: { invalidClient: INVALID_CLIENT },
  response: ok(Introspection),
  read: (db, { client, params, base }) => introspectToken(db, { secret: params.token ?? '', client, now: base.now }),
});
