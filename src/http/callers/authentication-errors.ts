import type { Caller, SignInBlock } from '#authentication/caller.ts';
import type { InvalidToken } from '#authentication/credentials.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import {
  bearerChallenge,
  clockSkewed,
  forbidden,
  HttpError,
  insufficientScope,
  unauthorized,
} from '../errors/http-error.ts';

// Errors for rejected credentials (contract/conventions.md §7 "Refusals").

/** Returns the error for an unusable credential; scopes are checked later. */
export function invalidTokenError({ code }: InvalidToken): HttpError {
  switch (code) {
    case 'unknown':
      return unauthorized();
    case 'clockSkewed':
      return clockSkewed();
    case 'expired':
      return bearerError('Token is expired. You can either do re-authorization or token refresh.');
    case 'revoked':
      return bearerError('Token was revoked. You have to re-authorize from the user.');
  }
}

/** Returns the error for a valid credential of a user who may not sign in. The message contains the URL of the server. */
export function blockedCallerError(block: SignInBlock, baseUrl: string): HttpError {
  switch (block) {
    case 'impersonation_off':
      return bearerError('Token is an impersonation token but impersonation was disabled.');
    case 'blocked':
      return forbidden('Your account has been blocked.');
    case 'deactivated':
      return forbidden(
        `Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${baseUrl}`,
      );
    case 'pending':
      return forbidden('Your account is pending approval from your administrator and hence blocked.');
    case 'password_expired':
      return forbidden('Your password expired. Please access Hearth from a web browser to update your password.');
  }
}

function bearerError(error_description: string): HttpError {
  return new HttpError(
    401,
    { message: '401 Unauthorized', error: 'invalid_token', error_description },
    bearerChallenge('invalid_token', error_description),
  );
}

/** Throws 403 unless the token has a scope that the endpoint accepts (contract/conventions.md §7 "Scopes"). */
export function requireScopes(endpoint: Pick<Endpoint, 'scopes' | 'anyScope'>, caller: Caller, method: string): void {
  // Job tokens have no scopes; the endpoints that accept them declare `allowJobToken`.
  if (caller.token === null || caller.token.kind === 'job' || endpoint.anyScope) return;
  const acceptedScopes = listAcceptedScopes(endpoint, method);
  if (!caller.token.scopes.some((scope) => acceptedScopes.includes(scope))) throw insufficientScope(acceptedScopes);
}

/** Returns the accepted scopes: those of the endpoint first, then the general ones. */
function listAcceptedScopes({ scopes }: Pick<Endpoint, 'scopes'>, method: string): readonly string[] {
  const isRead = method === 'GET' || method === 'HEAD';
  return [...scopes, 'api', ...(isRead ? ['read_api'] : [])];
}
