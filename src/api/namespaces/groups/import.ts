import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { narrower, type Visibility, widestAllowed } from '#authorization/visibility-levels.ts';
import { freeNameIn } from '#domain/namespaces/available-name.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { createGroup } from './create.ts';
import type { GroupWish } from './parameters.ts';
import type { GroupRow } from './store.ts';

/** A group as another server tells of it. */
export interface ImportedGroup extends GroupWish {
  readonly path: string;
  readonly name: string;
  readonly visibility: Visibility;
}

/**
 * A group of another server, at the top level or below another one, whose Owner is who imports it (contract/operations.md §1.4).
 * It is as visible as it was, the group above is and the instance allows; what has its name already leaves it `<name>_1`.
 */
export async function importGroup(
  uow: UnitOfWork<SignedInCaller>,
  parent: Group | null,
  { name, visibility, ...wish }: ImportedGroup,
  storages: readonly string[],
): Promise<GroupRow | Failure<'groupNotFound' | 'forbidden' | 'notSaved'>> {
  const told = {
    ...wish,
    name: parent === null ? name : await freeNameIn(uow, parent.id, name),
    parent_id: parent?.id ?? null,
    visibility: widestAllowed(
      ANONYMOUS,
      narrower(visibility, parent?.visibility ?? visibility),
      await readSettings(uow),
    ),
  };
  return createGroup(uow, told, storages);
}
