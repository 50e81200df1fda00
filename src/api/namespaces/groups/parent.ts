import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import { mayCreateSubgroupIn } from '#authorization/namespace-creation.ts';
import type { Reader } from '#database/database.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** What a group is put below. */

/** The group that a parameter names, when whoever acts may see it; null, the top level, when none is named. */
export async function namedParent(
  uow: UnitOfWork,
  id: number | null | undefined,
): Promise<Group | null | Failure<'groupNotFound'>> {
  if (id == null) return null;
  const group = await findGroup(uow, uow.actor, String(id));
  return group !== null && canSeeGroup(uow.actor, group) ? group : fail('groupNotFound');
}

/** May whoever acts have groups there? Below a group that is for its settings to say. */
export async function mayHaveGroupsIn(uow: UnitOfWork<SignedInCaller>, parent: Group | null): Promise<boolean> {
  return parent === null ? mayHaveGroupsOnTop(uow, uow.actor) : mayCreateSubgroupIn(uow.actor, parent);
}

async function mayHaveGroupsOnTop(db: Reader, caller: SignedInCaller): Promise<boolean> {
  if (isAdministrator(caller)) return true;
  return !caller.user.external && ((await readUser(db, caller.user.id))?.can_create_group ?? false);
}
