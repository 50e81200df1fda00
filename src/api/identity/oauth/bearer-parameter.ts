import {
  findOAuthTokenByAccessToken,
  getInvalidTokenCode,
  hasBlockedUser,
  type InvalidTokenCode,
  type OAuthTokenWithClient,
} from '#authentication/oauth/tokens.ts';
import { type Access, access } from '#http/access/access.ts';
import { bearerChallenge, HttpError } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { getPresentedCredentials } from '#http/request/credentials.ts';
import { timestamp } from '#runtime/clock.ts';

/** Parameters that may carry the token in place of the header. */
export const bearerParams = { access_token: optional(string), bearer_token: optional(string) };

const DESCRIPTIONS: Readonly<Record<InvalidTokenCode | 'unknown', string>> = {
  unknown: 'The access token is invalid',
  expired: 'The access token expired',
  revoked: 'The access token was revoked',
};

/** Creates the access for holders of a valid OAuth token, whose user, if any, can sign in. */
export function oauthBearerAccess(): Access<{ token: OAuthTokenWithClient }> {
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
  const [error, error_description] = ['invalid_token', DESCRIPTIONS[code]];
  return new HttpError(401, { error, error_description }, bearerChallenge(error, error_description));
}
