import { type AccessToken, readToken } from '#authentication/tokens/access-tokens.ts';
import type { User } from '#authentication/users/users.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

interface Naming {
  readonly impersonation_token_id: number;
}

/** An impersonation token of that user; any other token is none. */
export const impersonationTokenNamed = {
  name: 'token',
  params: { impersonation_token_id: required(integer) },
  async load(
    { db, services, params }: AccessCall<Naming>,
    { user }: { readonly user: User },
  ): Promise<AccessToken | null> {
    // When and from where it was used last is shown.
    await services.tokenUses.settled();
    const token = await readToken(db, params.impersonation_token_id);
    return token?.impersonation && token.user_id === user.id ? token : null;
  },
  notFound: () => notFound('Impersonation Token'),
} as const;
