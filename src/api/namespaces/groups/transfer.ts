import type { SignedInCaller } from '#authentication/caller.ts';
import { isReservedName } from '#authentication/users/usernames.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { namespacesInside } from '#domain/namespaces/hierarchy.ts';
import { moveClosure } from '#domain/namespaces/namespaces.ts';
import { childOf } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { mayHaveGroupsIn, namedParent } from './parent.ts';
import { isPathFree, isTooDeep, moveGroup } from './path-validation.ts';
import { type GroupRow, groupNow, readGroupRow } from './store.ts';
import { lowerVisibility } from './visibility.ts';

type TransferFailure = 'isRoot' | 'sameParent' | 'intoItself' | 'pathTaken' | 'tooDeep' | 'noPermission';

/**
 * Hangs a group under another parent, or puts it at the top level. Nothing in it stays more visible than the new parent
 * (contract/planning.md §3.1).
 */
export async function transferGroup(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Pick<Group, 'id'>,
  targetId: number | null | undefined,
): Promise<GroupRow | Failure<TransferFailure | 'groupNotFound' | 'gone' | 'forbidden'>> {
  const group = await groupNow(uow, id);
  if (group === null) return fail('gone');
  if (!mayInGroup(uow.actor, 'transfer_group', group)) return fail('forbidden');
  const target = await namedParent(uow, targetId);
  if (isFailure(target)) return target;
  const refusal = await whyNot(uow, group, target);
  if (refusal !== null) return fail(refusal);
  const parentId = target?.id ?? null;
  await uow.updateTable('namespaces').set({ parent_id: parentId, updated_at: uow.now }).where('id', '=', id).execute();
  await moveClosure(uow, id, parentId);
  await moveGroup(uow, id, childOf(target, group.path, group.name));
  if (target !== null) await lowerVisibility(uow, id, target.visibility);
  await uow.publish('transferred', { type: 'group', id });
  return readGroupRow(uow, id);
}

async function whyNot(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  target: Group | null,
): Promise<TransferFailure | null> {
  if (target === null && group.parent_id === null) return 'isRoot';
  if (target !== null && group.parent_id === target.id) return 'sameParent';
  if (target !== null && (await isInside(uow, target.id, group.id))) return 'intoItself';
  if (!(await mayHaveGroupsIn(uow, target))) return 'noPermission';
  if (target === null && isReservedName(group.path)) return 'pathTaken';
  const place = childOf(target, group.path, group.name);
  if (!(await isPathFree(uow, place.full_path, group.id))) return 'pathTaken';
  return (await isTooDeep(uow, place, group.id)) ? 'tooDeep' : null;
}

/** index: namespace_closure_pkey */
function isInside(db: Reader, groupId: number, ancestorId: number): Promise<boolean> {
  return hasRow(namespacesInside(db, ancestorId).where('descendant_id', '=', groupId));
}
