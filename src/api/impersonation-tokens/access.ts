import { type Access, type AccessCall, administrator } from '../../http/access.ts';
import { notFound } from '../../http/refusal.ts';
import { type AccessToken, readToken } from '../../identity/access-tokens.ts';
import type { SignedIn } from '../../identity/caller.ts';
import { readUser, type User } from '../../identity/users.ts';

/** Administrators, with the user whom the path names. */
export function impersonating(): Access<{ caller: SignedIn; user: User }> {
  return administrator().record({
    name: 'user',
    find: ({ db, params }: AccessCall) => readUser(db, params.user_id as number),
    missing: () => notFound('User'),
  });
}

/** An impersonation token of that user; any other token is none. */
export const impersonationTokenNamed = {
  name: 'token' as const,
  async find({ db, params }: AccessCall, { user }: { readonly user: User }): Promise<AccessToken | null> {
    const token = await readToken(db, params.impersonation_token_id as number);
    return token?.impersonation && token.user_id === user.id ? token : null;
  },
  missing: () => notFound('Impersonation Token'),
};
