import {
  authenticateClient,
  type ClientCredentials,
  type OAuthApplication,
} from '#authentication/oauth/applications.ts';
import { type Access, access } from '#http/access/access.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { getBasicCredentials } from '#http/request/credentials.ts';
import { isFailure } from '#runtime/failure.ts';

/** Client credentials as parameters; endpoints for OAuth clients spread them into their `params`. */
export const clientParams = { client_id: optional(string), client_secret: optional(string) };

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

function toCredentials(uid: string, secret: string): ClientCredentials | null {
  if (uid === '' && secret === '') return null;
  return { uid, secret: secret === '' ? null : secret };
}
