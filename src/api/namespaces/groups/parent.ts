import type { SignedInCaller } from '#authentication/caller.ts';
import { mayCreateSubgroupIn, mayCreateTopLevelGroup } from '#authorization/namespace-creation.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** The parent of a new or transferred group. */

/** Returns the group with this id if the actor can see it, or null (top level) if no id is given. */
export async function findParentGroup(
  uow: UnitOfWork,
  id: number | null | undefined,
): Promise<Group | null | Failure<'groupNotFound'>> {
  if (id == null) return null;
  const group = await findGroup(uow, uow.actor, String(id));
  return group !== null && canSeeGroup(uow.actor, group) ? group : fail('groupNotFound');
}

/** Returns whether the actor may create groups in the parent; null means the top level. */
export async function mayCreateGroupIn(uow: UnitOfWork<SignedInCaller>, parent: Group | null): Promise<boolean> {
  return parent === null ? mayCreateTopLevelGroup(uow, uow.actor) : mayCreateSubgroupIn(uow.actor, parent);
}
