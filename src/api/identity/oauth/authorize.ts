import type { CallerUser } from '#authentication/caller.ts';
import { createGrant } from '#authentication/oauth/authorization-codes.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { HtmlReply, RedirectReply } from '#http/endpoint/responses.ts';
import { type AuthorizationRequest, validateAuthorization } from './authorization-request.ts';
import { createUntrustedRequestPage } from './pages.ts';
import { redirectWithCode, redirectWithError } from './redirect-to-client.ts';

/** Grants the requested access: redirects to the application with a code, which it exchanges for a token. */
export async function authorize(
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
export async function denyAuthorization(db: Reader, request: AuthorizationRequest): Promise<HtmlReply | RedirectReply> {
  const authorization = await validateAuthorization(db, request);
  return authorization.kind === 'untrusted'
    ? createUntrustedRequestPage(authorization)
    : redirectWithError(authorization.clientRedirect, 'access_denied');
}
