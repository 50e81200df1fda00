import { type AccessToken, findAccessToken } from '#authentication/tokens/access-tokens.ts';
import type { User } from '#authentication/users/users.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

interface TokenParameters {
  readonly impersonation_token_id: number;
}

/** Resource: an impersonation token of the user. Other kinds of tokens get 404. */
export const impersonationTokenResource = {
  name: 'token',
  params: { impersonation_token_id: required(integer) },
  async load(
    { db, services, params }: AccessCall<TokenParameters>,
    { user }: { readonly user: User },
  ): Promise<AccessToken | null> {
    // The response shows the last use, so pending usage records must be stored first.
    await services.tokenUsage.waitForFlush();
    const token = await findAccessToken(db, params.impersonation_token_id);
    return token?.impersonation && token.user_id === user.id ? token : null;
  },
  notFound: () => notFound('Impersonation Token'),
} as const;
