import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { toDeletionScheduledName } from '#domain/namespaces/name-validation.ts';
import { buildChildPath, type FullPath, getNamespacePath } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { chooseRestoredNames } from '../projects/index.ts';
import { moveGroupRoutes } from './changes.ts';
import { destroyOrDetachGroup } from './destroy.ts';
import { type GroupRow, getGroupRow, reloadGroup } from './store.ts';
import { isPathFree } from './validation.ts';

// Deletion of a group is delayed: the group is marked first and destroyed later (contract/planning.md §3.1 "Deletion is
// delayed").

/**
 * Marks the group for deletion. It is renamed, so that another group can take its path immediately. It can be restored. A
 * group below a marked one stays unchanged.
 */
export async function scheduleGroupDeletion(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<undefined | Failure<'alreadyMarked' | 'notFound'>> {
  const group = await reloadGroup(uow, id);
  if (group === null) return fail('notFound');
  if (group.marked_for_deletion_on !== null) return fail('alreadyMarked');
  // `marked` is true here only through a marked ancestor.
  if (group.marked) return;
  await renameGroup(uow, group, {
    name: toDeletionScheduledName(group.name, id),
    path: toDeletionScheduledName(group.path, id),
    name_before_deletion: group.name,
    path_before_deletion: group.path,
    marked_for_deletion_on: uow.today,
  });
}

/** Restores a marked group under its former name and path, or similar ones if they are taken. */
export async function restoreGroup(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<GroupRow | Failure<'notMarked' | 'notFound'>> {
  const group = await reloadGroup(uow, id);
  if (group === null) return fail('notFound');
  const { name_before_deletion: name, path_before_deletion: path } = group;
  if (name === null || path === null) return fail('notMarked');
  const parent = await findParentPath(uow, group);
  const restoredNames = await chooseRestoredNames({ name, path }, (candidate) =>
    isPathFree(uow, buildChildPath(parent, candidate.path, candidate.name).full_path, id),
  );
  await renameGroup(uow, group, {
    ...restoredNames,
    name_before_deletion: null,
    path_before_deletion: null,
    marked_for_deletion_on: null,
  });
  return getGroupRow(uow, id);
}

/** Destroys a marked subgroup immediately. Fails unless `fullPath` is its current full path. */
export async function deleteGroupPermanently(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Group, 'id'>,
  fullPath: string | null | undefined,
): Promise<undefined | Failure<'isRootGroup' | 'notMarked' | 'pathMismatch' | 'notFound'>> {
  const group = await reloadGroup(uow, id);
  if (group === null) return fail('notFound');
  if (group.parent_id === null) return fail('isRootGroup');
  if (group.marked_for_deletion_on === null) return fail('notMarked');
  if (group.full_path !== fullPath) return fail('pathMismatch');
  await destroyOrDetachGroup(uow, group);
}

async function findParentPath(db: Reader, { parent_id }: Pick<Group, 'parent_id'>): Promise<FullPath | null> {
  return parent_id === null ? null : getNamespacePath(db, parent_id);
}

type DeletionColumns = Pick<
  Group,
  'name' | 'path' | 'name_before_deletion' | 'path_before_deletion' | 'marked_for_deletion_on'
>;

/** Stores the columns that marking and restoring change, and moves everything in the group to its new path. */
async function renameGroup(uow: UnitOfWork, group: Group, columns: DeletionColumns): Promise<void> {
  const { name, path } = columns;
  const row = { ...columns, name_key: foldCase(name), updated_at: uow.now };
  await uow.updateTable('namespaces').set(row).where('id', '=', group.id).execute();
  await moveGroupRoutes(uow, group.id, buildChildPath(await findParentPath(uow, group), path, name));
}
