import type { Act } from '../../../facts/act.ts';
import { type AccessToken, revokeToken } from '../../../identity/access-tokens.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import type { User } from '../../../identity/users.ts';
import { recordToken } from '../personal-access-tokens/index.ts';

/** Ends a token of this user. Ending it again changes nothing. */
export async function revokeImpersonationToken(act: Act<SignedIn>, token: AccessToken, owner: User): Promise<void> {
  if (await revokeToken(act, token.id)) await recordToken(act, { event: 'revoked', token, owner });
}
