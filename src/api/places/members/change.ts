import { changeMembership, findMembership } from '../../../access/memberships.ts';
import { OWNER } from '../../../access/roles.ts';
import { isTokenBot } from '../../../access/token-bots.ts';
import type { Database } from '../../../database/database.ts';
import { readUser } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { MemberRow } from './entities.ts';
import { type Acting, recordChanged } from './history.ts';
import { isAboveCaller, mustStayOwner, problemsWith } from './rules.ts';
import type { Source } from './source.ts';
import { withUser } from './store.ts';

export interface Change {
  readonly userId: number;
  readonly accessLevel: number;
  /** undefined: as it is. */
  readonly expiresAt: string | null | undefined;
}

export type ChangeRefusal = 'missing' | 'forbidden' | 'invalid';

/**
 * Gives a direct member another level or last day. A token's bot keeps what it was made with. Two at once can't take the
 * last Owner away between them.
 */
export async function changeMember(
  database: Database,
  acting: Acting,
  source: Source,
  { userId, accessLevel, expiresAt }: Change,
): Promise<MemberRow | Refused<ChangeRefusal>> {
  return database.transaction(
    async (tx) => {
      const today = tx.now.slice(0, 10);
      const before = await findMembership(tx, source, userId);
      if (before === null) return refused('missing');
      if (before.access_level > source.callerRole || isAboveCaller(source, accessLevel)) return refused('forbidden');
      if (await isTokenBot(tx, userId)) return refused('forbidden');
      const wish = { userId, accessLevel, expiresAt: expiresAt === undefined ? before.expires_at : expiresAt };
      // A last day that has come already and stays as it is, is not a new mistake.
      const checked = wish.expiresAt === before.expires_at ? { ...wish, expiresAt: null } : wish;
      const errors = await problemsWith(tx, source, checked, today);
      if (errors !== null) return refused('invalid', { errors });
      if (accessLevel < OWNER && (await mustStayOwner(tx, source, before, today))) return refused('forbidden');
      const change = { access_level: accessLevel, expires_at: wish.expiresAt };
      const membership = await changeMembership(tx, before.id, change);
      const user_name = (await readUser(tx, userId))?.name ?? '';
      await recordChanged(tx, acting, { membership, full_path: source.full_path, user_name }, before);
      return withUser(tx, membership);
    },
    { isolation: 'serializable' },
  );
}
