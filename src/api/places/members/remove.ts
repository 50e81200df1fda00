import { endMembership, findMembership, membershipsBelow } from '../../../access/memberships.ts';
import { isTokenBot } from '../../../access/token-bots.ts';
import type { Database } from '../../../database/database.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { readUser } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type Acting, recordRemoved } from './history.ts';
import { mustStayOwner } from './rules.ts';
import type { Source } from './source.ts';

export interface Removal {
  readonly userId: number;
  /** Of a group: the user's direct memberships below stay. */
  readonly skipSubresources: boolean;
  /** Issues and merge requests there are no longer assigned to the user. */
  readonly unassign: boolean;
}

/**
 * Ends a direct membership, and with that in a group those in everything below. The last Owner stays, whoever asks, and
 * so does a token's bot; two at once can't remove one another's last Owner.
 */
export async function removeMember(
  database: Database,
  acting: Acting & { readonly caller: SignedIn },
  source: Source,
  { userId, skipSubresources, unassign }: Removal,
): Promise<null | Refused<'missing' | 'forbidden'>> {
  return database.transaction(
    async (tx) => {
      const own = await findMembership(tx, source, userId);
      if (own === null) return refused('missing');
      const self = userId === acting.caller.user.id;
      if (!self && own.access_level > source.callerRole) return refused('forbidden');
      if (await isTokenBot(tx, userId)) return refused('forbidden');
      if (await mustStayOwner(tx, source, own, tx.now.slice(0, 10))) return refused('forbidden');
      const user_name = (await readUser(tx, userId))?.name ?? '';
      const below = source.type === 'group' && !skipSubresources ? await membershipsBelow(tx, source.id, userId) : [];
      for (const membership of [{ ...own, full_path: source.full_path }, ...below]) {
        await recordRemoved(tx, acting, { membership, full_path: membership.full_path, user_name });
        await endMembership(tx, acting.facts, membership, { unassign });
      }
      return null;
    },
    { isolation: 'serializable' },
  );
}
