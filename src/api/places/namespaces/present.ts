import type { Reader } from '../../../database/database.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { usersById } from '../../identity/users/index.ts';
import type { NamespaceRow } from '../projects/index.ts';
import { type Namespace, namespaces } from './entities.ts';
import { countsOf, ownedGroups } from './store.ts';

/** Namespaces as a handler answers them, with what is counted for all of them at once. */
export async function presentNamespaces(
  { db, caller, base }: { readonly db: Reader; readonly caller: SignedIn; readonly base: Base },
  rows: readonly NamespaceRow[],
): Promise<Namespace[]> {
  const today = base.now.slice(0, 10);
  const owners = await usersById(
    db,
    rows.map(({ owner_id }) => owner_id),
  );
  const counts = await countsOf(
    db,
    rows.map(({ id }) => id),
    today,
  );
  const owned = await ownedGroups(db, caller, rows, today);
  return namespaces(rows, { base, owners, counts, owned });
}
