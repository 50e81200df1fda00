import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { getWidestAllowedVisibility, minVisibility, type Visibility } from '#authorization/visibility-levels.ts';
import { findAvailableName } from '#domain/namespaces/available-name.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { createGroup } from './create.ts';
import type { GroupInput } from './parameters.ts';
import type { GroupRow } from './store.ts';

/** Content of a group from another server. */
export interface ImportGroupInput extends GroupInput {
  readonly path: string;
  readonly name: string;
  readonly visibility: Visibility;
}

/**
 * Creates a group from another server, with the actor as its Owner (contract/operations.md §1.4). Its visibility is the
 * narrowest of its own, its parent's and the instance's. If the name is taken, `_1` is appended.
 */
export async function importGroup(
  uow: UnitOfWork<SignedInCaller>,
  parent: Group | null,
  { name, visibility, ...attributes }: ImportGroupInput,
  storages: readonly string[],
): Promise<GroupRow | Failure<'groupNotFound' | 'forbidden' | 'notSaved'>> {
  const input = {
    ...attributes,
    name: parent === null ? name : await findAvailableName(uow, parent.id, name),
    parent_id: parent?.id ?? null,
    visibility: getWidestAllowedVisibility(
      ANONYMOUS,
      minVisibility(visibility, parent?.visibility ?? visibility),
      await loadSettings(uow),
    ),
  };
  return createGroup(uow, input, storages);
}
