import {
  authenticateClient,
  type ClientCredentials,
  type OAuthApplication,
} from '#authentication/oauth/applications.ts';
import { type Access, access } from '#http/access/access.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { basicCredentials } from '#http/request/credentials.ts';
import { isFailure } from '#runtime/failure.ts';

/** What clients say of themselves among their parameters; endpoints that they call spread it into their `params`. */
export const clientParams = { client_id: optional(string), client_secret: optional(string) };

/** Which application calls: nobody has said, or not proven it, or it is this one. */
export type Client = 'none' | 'wrong' | OAuthApplication;

/**
 * Clients of OAuth, by `client_id` and `client_secret` among the parameters, or by HTTP Basic. Whether they must be one is
 * for the grant to say.
 */
export function oauthClient(): Access<{ client: Client }> {
  return access({
    audience: 'key',
    label: 'oauth client',
    authenticate: () => {},
    async load({ db, request, params }) {
      const basic = basicCredentials(request);
      const presented = (basic && credentials(basic.username, basic.password)) ?? namedIn(params);
      if (presented === null) return { client: 'none' as const };
      const client = await authenticateClient(db, presented);
      return { client: isFailure(client) ? ('wrong' as const) : client };
    },
    authorize: () => {},
  });
}

function namedIn(params: Readonly<Record<string, unknown>>): ClientCredentials | null {
  return credentials((params.client_id ?? '') as string, (params.client_secret ?? '') as string);
}

function credentials(uid: string, secret: string): ClientCredentials | null {
  if (uid === '' && secret === '') return null;
  return { uid, secret: secret === '' ? null : secret };
}
