import { loadArchiveState } from '#domain/namespaces/archive-state.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type GroupRow, getGroupRow } from './store.ts';

/** Archiving of a group, which also archives everything below it (contract/planning.md §3.1). */

export async function archive(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<GroupRow | Failure<'alreadyArchived' | 'ancestorArchived' | 'scheduledForDeletion'>> {
  const { archived, marked } = await loadArchiveState(uow, id);
  if (archived.direct) return fail('alreadyArchived');
  if (archived.inherited) return fail('ancestorArchived');
  if (marked.any) return fail('scheduledForDeletion');
  return setArchived(uow, id, true);
}

export async function unarchive(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<GroupRow | Failure<'ancestorArchived' | 'alreadyUnarchived'>> {
  const { archived } = await loadArchiveState(uow, id);
  if (archived.inherited) return fail('ancestorArchived');
  if (!archived.direct) return fail('alreadyUnarchived');
  return setArchived(uow, id, false);
}

/** index: namespaces primary key */
async function setArchived(uow: UnitOfWork, id: number, archived: boolean): Promise<GroupRow> {
  await uow.updateTable('namespaces').set({ archived, updated_at: uow.now }).where('id', '=', id).execute();
  return getGroupRow(uow, id);
}
