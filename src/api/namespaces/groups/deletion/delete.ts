import { restoredNames } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { scheduledForDeletion } from '#domain/namespaces/name-validation.ts';
import { childOf, type Place, placeOfNamespace } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isPathFree, moveGroup } from '../path-validation.ts';
import { type GroupRow, groupNow, readGroupRow } from '../store.ts';
import { destroyAtOnce } from './destroy-in-request.ts';

/** Deleting a group is delayed: it is marked, and destroyed when its time has come (contract/planning.md §3.1 "Deletion is delayed"). */

/** Marks the group: its path is free at once, and it can be restored. Below a marked group nothing is to do. */
export async function scheduleDeletion(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<undefined | Failure<'alreadyMarked' | 'gone'>> {
  const group = await groupNow(uow, id);
  if (group === null) return fail('gone');
  if (group.marked_for_deletion_on !== null) return fail('alreadyMarked');
  if (group.marked) return;
  await rename(uow, group, {
    name: scheduledForDeletion(group.name, id),
    path: scheduledForDeletion(group.path, id),
    name_before_deletion: group.name,
    path_before_deletion: group.path,
    marked_for_deletion_on: uow.today,
  });
}

/** Takes the mark away again: former name and path, or ones like them. */
export async function restoreGroup(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<GroupRow | Failure<'notMarked' | 'gone'>> {
  const group = await groupNow(uow, id);
  if (group === null) return fail('gone');
  const { name_before_deletion: name, path_before_deletion: path } = group;
  if (name === null || path === null) return fail('notMarked');
  const parent = await parentPlace(uow, group);
  const names = await restoredNames({ name, path }, (wanted) =>
    isPathFree(uow, childOf(parent, wanted.path, wanted.name).full_path, id),
  );
  await rename(uow, group, {
    ...names,
    name_before_deletion: null,
    path_before_deletion: null,
    marked_for_deletion_on: null,
  });
  return readGroupRow(uow, id);
}

/** Destroys a marked subgroup right away; `fullPath` must name it exactly as it is now. */
export async function deleteAtOnce(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Group, 'id'>,
  fullPath: string | null | undefined,
): Promise<undefined | Failure<'rootNotAtOnce' | 'notMarked' | 'wrongPath' | 'gone'>> {
  const group = await groupNow(uow, id);
  if (group === null) return fail('gone');
  if (group.parent_id === null) return fail('rootNotAtOnce');
  if (group.marked_for_deletion_on === null) return fail('notMarked');
  if (group.full_path !== fullPath) return fail('wrongPath');
  await destroyAtOnce(uow, group);
}

async function parentPlace(db: Reader, { parent_id }: Pick<Group, 'parent_id'>): Promise<Place | null> {
  return parent_id === null ? null : placeOfNamespace(db, parent_id);
}

type Marks = Pick<Group, 'name' | 'path' | 'name_before_deletion' | 'path_before_deletion' | 'marked_for_deletion_on'>;

async function rename(uow: UnitOfWork, group: Group, marks: Marks): Promise<void> {
  const { name, path } = marks;
  const row = { ...marks, name_key: foldCase(name), updated_at: uow.now };
  await uow.updateTable('namespaces').set(row).where('id', '=', group.id).execute();
  await moveGroup(uow, group.id, childOf(await parentPlace(uow, group), path, name));
}
