import type { SignedInCaller } from '#authentication/caller.ts';
import type { DeadToken } from '#authentication/credentials.ts';
import { revokeDescendants } from '#authentication/tokens/access-tokens.ts';
import { type Access, type AccessCall, signedIn } from '#http/access/access.ts';

/** Signed-in callers. */
export function rotating(): Access<{ caller: SignedInCaller }> {
  return signedIn().onDeadToken(endReusedChain);
}

/**
 * A revoked token that wants to be rotated has been copied: whoever has its chain loses it (contract/conventions.md §10
 * "Reuse detection").
 */
export async function endReusedChain({ services }: AccessCall, { revokedTokenId }: DeadToken): Promise<void> {
  if (revokedTokenId !== null) await services.database.transaction((tx) => revokeDescendants(tx, revokedTokenId));
}
