import type { Group } from '../../../access/groups.ts';
import type { Database } from '../../../database/database.ts';
import { type Refused, refused } from '../../../refused.ts';

/** Archives a group, or ends that. Refuses what is so already; of two at once, one is refused. */
export async function setArchived(
  database: Database,
  { id }: Pick<Group, 'id'>,
  archived: boolean,
): Promise<null | Refused<'already'>> {
  return database.transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('namespaces')
      .set({ archived, updated_at: tx.now })
      .where('id', '=', id)
      .where('archived', '=', !archived)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 0n ? refused('already') : null;
  });
}
