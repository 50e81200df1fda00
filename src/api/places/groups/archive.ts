import type { Group } from '../../../access/groups.ts';
import type { Act } from '../../../facts/act.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type GroupRow, readGroupRow } from './store.ts';

/** Archives a group, or ends that. Refuses what is so already; of two at once, one is refused. */
export async function setArchived(
  act: Act,
  { id }: Pick<Group, 'id'>,
  archived: boolean,
): Promise<GroupRow | Refused<'already'>> {
  const { numUpdatedRows } = await act
    .updateTable('namespaces')
    .set({ archived, updated_at: act.now })
    .where('id', '=', id)
    .where('archived', '=', !archived)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 0n ? refused('already') : readGroupRow(act, id);
}
