import type { Database } from '../../../database/database.ts';
import { type AccessToken, revokeToken } from '../../../identity/access-tokens.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import type { User } from '../../../identity/users.ts';
import { recordToken } from '../personal-access-tokens/index.ts';

/** Ends the token. Ending it again changes nothing. */
export async function revokeImpersonationToken(
  database: Database,
  { user, token, caller }: { readonly user: User; readonly token: AccessToken; readonly caller: SignedIn },
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await revokeToken(tx, token.id))) return;
    await recordToken(tx, caller, { event: 'revoked', token, owner: user });
  });
}
