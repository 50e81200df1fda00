import type { SignedInCaller } from '#authentication/caller.ts';
import { isReservedName } from '#authentication/users/usernames.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import { moveClosure } from '#domain/namespaces/namespaces.ts';
import { buildChildPath } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findParentGroup, mayCreateGroupIn } from './parent.ts';
import { isPathFree, isPathTooLong, moveGroup } from './path-validation.ts';
import { type GroupRow, getGroupRow, reloadGroup } from './store.ts';
import { lowerVisibility } from './visibility.ts';

type TransferFailure =
  | 'alreadyRoot'
  | 'sameParent'
  | 'targetIsDescendant'
  | 'pathTaken'
  | 'pathTooLong'
  | 'noPermission';

/**
 * Moves a group to another parent or to the top level. Everything in it becomes at most as visible as the new parent
 * (contract/planning.md §3.1).
 */
export async function transferGroup(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Group, 'id'>,
  targetId: number | null | undefined,
): Promise<GroupRow | Failure<TransferFailure | 'groupNotFound' | 'notFound' | 'forbidden'>> {
  const group = await reloadGroup(uow, id);
  if (group === null) return fail('notFound');
  if (!mayInGroup(uow.actor, 'transfer_group', group)) return fail('forbidden');
  const target = await findParentGroup(uow, targetId);
  if (isFailure(target)) return target;
  const failure = await findTransferFailure(uow, group, target);
  if (failure !== null) return fail(failure);
  const parentId = target?.id ?? null;
  await uow.updateTable('namespaces').set({ parent_id: parentId, updated_at: uow.now }).where('id', '=', id).execute();
  await moveClosure(uow, id, parentId);
  await moveGroup(uow, id, buildChildPath(target, group.path, group.name));
  if (target !== null) await lowerVisibility(uow, id, target.visibility);
  await uow.publish('group-or-project-transferred', { type: 'group', id });
  return getGroupRow(uow, id);
}

async function findTransferFailure(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  target: Group | null,
): Promise<TransferFailure | null> {
  if (target === null && group.parent_id === null) return 'alreadyRoot';
  if (target !== null && group.parent_id === target.id) return 'sameParent';
  if (target !== null && (await isDescendantOf(uow, target.id, group.id))) return 'targetIsDescendant';
  if (!(await mayCreateGroupIn(uow, target))) return 'noPermission';
  if (target === null && isReservedName(group.path)) return 'pathTaken';
  const fullPath = buildChildPath(target, group.path, group.name);
  if (!(await isPathFree(uow, fullPath.full_path, group.id))) return 'pathTaken';
  return (await isPathTooLong(uow, fullPath, group.id)) ? 'pathTooLong' : null;
}

/** index: namespace_closure_pkey */
function isDescendantOf(db: Reader, groupId: number, ancestorId: number): Promise<boolean> {
  return hasRow(selectDescendantIds(db, ancestorId).where('descendant_id', '=', groupId));
}
