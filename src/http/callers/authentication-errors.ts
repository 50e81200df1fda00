import type { InvalidToken } from '#authentication/credentials.ts';
import type { Bar } from '#authentication/sign-in-blocks.ts';
import { bearerChallenge, clockSkewed, forbidden, HttpError, unauthorized } from '../errors/http-error.ts';

// What a caller is told whose credential doesn't count (contract/conventions.md §7 "Refusals").

/** The refusal of a credential that nothing can be done with, before its scopes are looked at. */
export function deadToken({ code }: InvalidToken): HttpError {
  switch (code) {
    case 'unknown':
      return unauthorized();
    case 'skewed':
      return clockSkewed();
    case 'expired':
      return invalidToken('Token is expired. You can either do re-authorization or token refresh.');
    case 'revoked':
      return invalidToken('Token was revoked. You have to re-authorize from the user.');
  }
}

/** The refusal of somebody who is known, whose token would do, and who is not let in. `base` is the server's address. */
export function barredCaller(bar: Bar, base: string): HttpError {
  switch (bar) {
    case 'impersonation_off':
      return invalidToken('Token is an impersonation token but impersonation was disabled.');
    case 'blocked':
      return forbidden('Your account has been blocked.');
    case 'deactivated':
      return forbidden(
        `Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${base}`,
      );
    case 'pending':
      return forbidden('Your account is pending approval from your administrator and hence blocked.');
    case 'password_expired':
      return forbidden('Your password expired. Please access Hearth from a web browser to update your password.');
  }
}

function invalidToken(error_description: string): HttpError {
  return new HttpError(
    401,
    { message: '401 Unauthorized', error: 'invalid_token', error_description },
    bearerChallenge('invalid_token', error_description),
  );
}
