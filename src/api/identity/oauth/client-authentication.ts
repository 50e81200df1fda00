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

/** The calling application: `none` without credentials, `wrong` if they are invalid. */
export type ClientStatus = 'none' | 'wrong' | OAuthApplication;

/**
 * Identifies an OAuth client by the parameters `client_id` and `client_secret`, or by HTTP Basic. Each grant decides whether
 * it requires a client.
 */
export function oauthClient(): Access<{ client: ClientStatus }> {
  return access({
    audience: 'key',
    label: 'oauth client',
    authenticate: () => {},
    async load({ db, request, params }) {
      const basic = getBasicCredentials(request);
      const clientCredentials = (basic && credentials(basic.username, basic.password)) ?? parameterCredentials(params);
      if (clientCredentials === null) return { client: 'none' as const };
      const client = await authenticateClient(db, clientCredentials);
      return { client: isFailure(client) ? ('wrong' as const) : client };
    },
    authorize: () => {},
  });
}

function parameterCredentials(params: Readonly<Record<string, unknown>>): ClientCredentials | null {
  return credentials((params.client_id ?? '') as string, (params.client_secret ?? '') as string);
}

function credentials(uid: string, secret: string): ClientCredentials | null {
  if (uid === '' && secret === '') return null;
  return { uid, secret: secret === '' ? null : secret };
}
