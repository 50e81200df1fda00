import type { SignedInCaller } from '#authentication/caller.ts';
import type { InvalidToken } from '#authentication/credentials.ts';
import { revokeDescendants } from '#authentication/tokens/access-tokens.ts';
import { type Access, type AccessCall, signedIn } from '#http/access/access.ts';

/** Signed-in callers. */
export function rotating(): Access<{ caller: SignedInCaller }> {
  return signedIn().onInvalidToken(endReusedChain);
}

/**
 * A revoked token that wants to be rotated has been copied: whoever has its chain loses it (contract/conventions.md §10
 * "Reuse detection").
 */
export async function endReusedChain({ services }: AccessCall, { revokedTokenId }: InvalidToken): Promise<void> {
  if (revokedTokenId !== null) await services.database.transaction((tx) => revokeDescendants(tx, revokedTokenId));
}
