import type { SignedInCaller } from '#authentication/caller.ts';
import type { InvalidToken } from '#authentication/credentials.ts';
import { revokeDescendants } from '#authentication/tokens/access-tokens.ts';
import { type Access, type AccessCall, signedIn } from '#http/access/access.ts';

/** Creates the access for signed-in callers. A revoked token that is reused revokes its descendants. */
export function rotateTokenAccess(): Access<{ caller: SignedInCaller }> {
  return signedIn().onInvalidToken(revokeReusedChain);
}

/**
 * Revokes all descendants of a revoked token that is used for a rotation: the token was copied (contract/conventions.md §10
 * "Reuse detection").
 */
export async function revokeReusedChain({ services }: AccessCall, { revokedTokenId }: InvalidToken): Promise<void> {
  if (revokedTokenId !== null) await services.database.transaction((tx) => revokeDescendants(tx, revokedTokenId));
}
