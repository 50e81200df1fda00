import type { AccessCall } from '../../../http/access/access.ts';
import { notFound } from '../../../http/endpoint/refusal.ts';
import { type AccessToken, readToken } from '../../../identity/access-tokens.ts';
import type { User } from '../../../identity/users.ts';

/** An impersonation token of that user; any other token is none. */
export const impersonationTokenNamed = {
  name: 'token' as const,
  async find({ db, params }: AccessCall, { user }: { readonly user: User }): Promise<AccessToken | null> {
    const token = await readToken(db, params.impersonation_token_id as number);
    return token?.impersonation && token.user_id === user.id ? token : null;
  },
  missing: () => notFound('Impersonation Token'),
};
