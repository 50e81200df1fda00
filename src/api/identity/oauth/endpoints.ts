import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, ok, Reply, redirect } from '#http/endpoint/responses.ts';
import { TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { bearerChallenge } from '#http/errors/http-error.ts';
import { formParams, signedInVisitor, signedInVisitorWithForm } from '#http/pages/web-session.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { isFailure } from '#runtime/failure.ts';
import { authorizationParams, readAuthorization } from './authorization-request.ts';
import { authorize, deny } from './authorize.ts';
import { bearerParams, oauthBearer } from './bearer-parameter.ts';
import { clientParams, oauthClient } from './client-authentication.ts';
import { grantToken } from './create-token.ts';
import { Introspection, OAuthTokenInfo, OAuthTokenPair, Revoked } from './entities.ts';
import { introspect } from './introspect.ts';
import { consentPage, strayRequestPage } from './pages.ts';
import { withError } from './redirect-to-client.ts';
import { revoke } from './revoke.ts';
import { tokenParams } from './token-request.ts';

// Outside of /api/v4, as every OAuth client expects them (contract/conventions.md §10 "OAuth 2.0").

const NOT_KEPT = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

const NO_CLIENT =
  'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.';

const INVALID_CLIENT = [
  401,
  { error: 'invalid_client', error_description: NO_CLIENT },
  { ...bearerChallenge('invalid_client', NO_CLIENT), ...NOT_KEPT },
] as const;

const refusal = (error: string, error_description: string) => [400, { error, error_description }, NOT_KEPT] as const;

const cannotIssue = {
  notFound: refusal('invalid_request', 'Missing required parameter: {parameter}.'),
  unsupportedGrantType: refusal(
    'unsupported_grant_type',
    'The authorization grant type is not supported by the authorization server.',
  ),
  invalidClient: INVALID_CLIENT,
  invalidGrant: refusal(
    'invalid_grant',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  ),
  invalidScope: refusal('invalid_scope', 'The requested scope is invalid, unknown, or malformed.'),
  tooMany: TOO_MANY_REQUESTS,
} as const;

export const issueOAuthToken = endpoint({
  post: '/oauth/token',
  summary: 'Get an access token for a code, a refresh token, a password or as an application',
  access: oauthClient(),
  stageOrder: 'ownProof',
  root: true,
  params: tokenParams,
  errors: cannotIssue,
  response: ok(OAuthTokenPair),
  async handle({ client, params, request }, services) {
    const issued = await grantToken(services, params, { client, address: request.clientAddress });
    return isFailure(issued) ? issued : new Reply(issued, { headers: NOT_KEPT });
  },
});

export const readAuthorizationPage = endpoint({
  get: '/oauth/authorize',
  summary: 'The page that asks the user whether an application may act for him',
  access: signedInVisitor(),
  stageOrder: 'ownProof',
  root: true,
  params: authorizationParams,
  response: html,
  async handle({ visitor: { caller, session }, params: fields, request }, { database }) {
    const asked = await readAuthorization(database.reader, fields);
    if (asked.kind === 'stray') return strayRequestPage(asked);
    if (asked.kind === 'refused') return withError(asked.to, asked.error);
    return consentPage(asked, { request, user: caller.user, csrfToken: session.csrfToken, fields });
  },
});

export const authorizeApplication = endpoint({
  post: '/oauth/authorize',
  summary: 'Let an application act for the user, or not, from the form',
  access: signedInVisitorWithForm(),
  stageOrder: 'ownProof',
  root: true,
  params: { ...formParams, _method: optional(string), ...authorizationParams },
  response: redirect,
  write: (uow, { visitor, params }) =>
    params._method?.toLowerCase() === 'delete' ? deny(uow, params) : authorize(uow, visitor.caller.user, params),
});

export const denyApplication = endpoint({
  delete: '/oauth/authorize',
  summary: 'Do not let an application act for the user',
  access: signedInVisitorWithForm(),
  stageOrder: 'ownProof',
  root: true,
  params: { ...formParams, ...authorizationParams },
  response: redirect,
  read: (db, { params }) => deny(db, params),
});

export const revokeOAuthToken = endpoint({
  post: '/oauth/revoke',
  summary: 'End an access token and its refresh token',
  access: oauthClient(),
  stageOrder: 'ownProof',
  root: true,
  params: { ...clientParams, token: optional(string) },
  errors: {
    notYours: [403, { error: 'unauthorized_client', error_description: 'You are not authorized to revoke this token' }],
  },
  response: ok(Revoked),
  write: (uow, { client, params }) => revoke(uow, params.token ?? '', client),
});

export const readOAuthTokenInfo = endpoint({
  get: '/oauth/token/info',
  summary: 'Whom and what an OAuth token is for, and how long it lives',
  access: oauthBearer(),
  stageOrder: 'ownProof',
  root: true,
  params: bearerParams,
  response: ok(OAuthTokenInfo),
  // Not a read: answers to reads are remembered by their caller, and whoever only holds a token is none.
  handle: ({ token }) => token,
});

export const introspectOAuthToken = endpoint({
  post: '/oauth/introspect',
  summary: 'Is it a live token of the application that asks',
  access: oauthClient(),
  stageOrder: 'ownProof',
  root: true,
  params: { ...clientParams, token: optional(string) },
  errors: { invalidClient: INVALID_CLIENT },
  response: ok(Introspection),
  read: (db, { client, params, base }) => introspect(db, { secret: params.token ?? '', client, now: base.now }),
});
