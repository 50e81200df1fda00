import {
  authenticateClient,
  type ClientCredentials,
  type OAuthApplication,
} from '#authentication/oauth/applications.ts';
import type { IssuedOAuthToken } from '#authentication/oauth/tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Access, access } from '#http/access/access.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { getBasicCredentials } from '#http/request/credentials.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { redirectUriType } from './authorization-request.ts';

/** Client credentials as parameters; endpoints for OAuth clients spread them into their `params`. */
export const clientParams = {
  client_id: describe(optional(string), 'The `application_id` of the application, unless HTTP Basic is used.'),
  client_secret: describe(optional(string), 'The secret of the application; absent if it is not confidential.'),
};

/** The calling application: `none` without credentials, `invalid` if they are wrong. */
export type ClientStatus = 'none' | 'invalid' | OAuthApplication;

/**
 * Identifies an OAuth client by the parameters `client_id` and `client_secret`, or by HTTP Basic. Each grant decides whether
 * it requires a client.
 */
export function oauthClientAccess(): Access<{ client: ClientStatus }> {
  return access({
    audience: 'tokenHolder',
    label: 'oauth client',
    authenticate: () => {},
    async load({ db, request, params }) {
      const basicCredentials = getBasicCredentials(request);
      const clientCredentials =
        (basicCredentials && toCredentials(basicCredentials.username, basicCredentials.password)) ??
        readParameterCredentials(params);
      if (clientCredentials === null) return { client: 'none' as const };
      const client = await authenticateClient(db, clientCredentials);
      return { client: isFailure(client) ? ('invalid' as const) : client };
    },
    authorize: () => {},
  });
}

function readParameterCredentials(params: Readonly<Record<string, unknown>>): ClientCredentials | null {
  return toCredentials((params.client_id ?? '') as string, (params.client_secret ?? '') as string);
}

/** Returns the credentials of a client, or null if both are empty. An empty secret counts as absent. */
function toCredentials(uid: string, secret: string): ClientCredentials | null {
  if (uid === '' && secret === '') return null;
  return { uid, secret: secret === '' ? null : secret };
}

/** Parameters of a token request, not yet validated; each grant type uses its own. */
export const tokenParams = {
  grant_type: describe(optional(string), '`authorization_code`, `refresh_token`, `password` or `client_credentials`.'),
  ...clientParams,
  code: describe(optional(string), 'The authorization code.'),
  redirect_uri: describe(optional(redirectUriType), 'The redirect URI of the authorization request.'),
  code_verifier: describe(optional(string), 'PKCE verifier, if the authorization request had a challenge.'),
  refresh_token: optional(string),
  username: describe(optional(string), 'Username or email address, for the grant `password`.'),
  password: describe(optional(string), 'Password, for the grant `password`.'),
  scope: describe(
    optional(string),
    'Scopes, separated by spaces. If absent: those of the application, or `api` without one.',
  ),
};

export type TokenRequest = ParameterValues<typeof tokenParams>;

/** An issued token, or the error. */
export type GrantResult = IssuedOAuthToken | Failure<'invalidGrant' | 'invalidClient' | 'invalidScope' | 'notFound'>;

/** A grant type (contract/conventions.md §10 "OAuth 2.0"). Its writes are committed even if it fails. */
export type Grant = (
  uow: UnitOfWork,
  request: TokenRequest,
  context: { readonly client: ClientStatus; readonly startedAt: string },
) => Promise<GrantResult>;
