import { type DeadCode, deadCode, type OAuthTokenOfClient, readOAuthToken } from '#authentication/oauth/tokens.ts';
import { type Access, access } from '#http/access/access.ts';
import { bearerChallenge, HttpError } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { presentedCredentials } from '#http/request/credentials.ts';
import { timestamp } from '#runtime/clock.ts';

/** Where a token may come besides the header. */
export const bearerParams = { access_token: optional(string), bearer_token: optional(string) };

const DESCRIPTIONS: Readonly<Record<DeadCode | 'unknown', string>> = {
  unknown: 'The access token is invalid',
  expired: 'The access token expired',
  revoked: 'The access token was revoked',
};

/** Whoever holds a live OAuth token, of a user or not: the answer is about the token itself. */
export function oauthBearer(): Access<{ token: OAuthTokenOfClient }> {
  return access({
    audience: 'user',
    label: 'oauth token',
    authenticate: () => {},
    async load({ db, services, request, params }) {
      const presented = presentedCredentials(request, params);
      const token = presented?.way === 'bearer' ? await readOAuthToken(db, presented.secret) : null;
      if (token === null) throw invalidToken('unknown');
      const dead = deadCode(token, timestamp(services.clock));
      if (dead !== null) throw invalidToken(dead);
      return { token };
    },
    authorize: () => {},
  });
}

function invalidToken(code: DeadCode | 'unknown'): HttpError {
  const [error, error_description] = ['invalid_token', DESCRIPTIONS[code]];
  return new HttpError(401, { error, error_description }, bearerChallenge(error, error_description));
}
