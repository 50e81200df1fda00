import type { SignedInCaller } from '#authentication/caller.ts';
import { minVisibility, type Visibility, validateAllowedVisibility } from '#authorization/visibility-levels.ts';
import type { Reader } from '#database/database.ts';
import { createMembership, toGroupSource } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { mergeGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { validateGroupPath, validateName } from '#domain/namespaces/name-validation.ts';
import { createNamespace } from '#domain/namespaces/namespaces.ts';
import { buildChildPath, type FullPath } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import {
  compactFieldErrors,
  type Failure,
  type FieldErrors,
  fail,
  formatFieldErrors,
  isFailure,
} from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { recordGroupCreated } from './activity.ts';
import { toAttributeChanges, validateGroupAttributes } from './attributes.ts';
import type { GroupInput } from './parameters.ts';
import { findParentGroup, mayCreateGroupIn } from './parent.ts';
import { PATH_TAKEN, validateFullPath } from './path-validation.ts';
import { type GroupRow, getGroupRow } from './store.ts';
import { validateParentVisibility } from './visibility.ts';

interface CreateGroupInput extends GroupInput {
  readonly name: string;
  readonly path: string;
  /** Null for a top-level group. */
  readonly parent_id?: number | null | undefined;
}

/**
 * Creates a group with the actor as its Owner (contract/planning.md §3.1). A bot gets its role from the parent.
 * `storages`: the names of the configured storages.
 */
export async function createGroup(
  uow: UnitOfWork<SignedInCaller>,
  input: CreateGroupInput,
  storages: readonly string[],
): Promise<GroupRow | Failure<'groupNotFound' | 'forbidden' | 'notSaved'>> {
  const parent = await findParentGroup(uow, input.parent_id);
  if (isFailure(parent)) return parent;
  if (!(await mayCreateGroupIn(uow, parent))) return fail('forbidden');
  const fullPath = buildChildPath(parent, input.path, input.name);
  const visibility = input.visibility ?? (await getDefaultVisibility(uow, parent));
  const attributes = toAttributeChanges(input, uow, parent === null);
  const settings = await loadSettings(uow);
  const problems = compactFieldErrors({
    ...(await validateNameAndPath(uow, input, parent, fullPath)),
    visibility_level: [
      ...validateParentVisibility(parent, visibility),
      ...validateAllowedVisibility(uow.actor, visibility, settings),
    ],
    ...validateGroupAttributes(input, attributes),
  });
  if (problems !== null) return failNotSaved(problems);
  const id = await createNamespace(
    uow,
    {
      kind: 'group',
      owner_id: null,
      parent_id: parent?.id ?? null,
      path: input.path,
      name: input.name,
      description: input.description ?? '',
      visibility,
      attributes: mergeGroupAttributes('{}', attributes),
      storage: chooseStorage(storages, settings.repository_storages_weighted),
    },
    fullPath,
  );
  const userId = uow.actor.user.id;
  await createMembership(uow, toGroupSource(id), { userId, accessLevel: OWNER, createdById: userId });
  await recordGroupCreated(uow, { id, full_path: fullPath.full_path });
  return getGroupRow(uow, id);
}

/** Returns the instance's default visibility, capped by the visibility of the parent. */
async function getDefaultVisibility(db: Reader, parent: Group | null): Promise<Visibility> {
  const { default_group_visibility: groupDefault } = await loadSettings(db);
  return parent === null ? groupDefault : minVisibility(groupDefault, parent.visibility);
}

/** Returns errors of both. Checks whether the path is taken only if its syntax is valid. */
async function validateNameAndPath(
  db: Reader,
  { name, path }: CreateGroupInput,
  parent: Group | null,
  fullPath: FullPath,
): Promise<FieldErrors> {
  const problems = validateGroupPath(path, { topLevel: parent === null });
  return { name: validateName(name), path: problems.length > 0 ? problems : await validateFullPath(db, fullPath) };
}

/** Returns the failure with all errors in one text, in the notation that clients expect. */
function failNotSaved(errors: FieldErrors): Failure<'notSaved'> {
  return fail('notSaved', { errors: formatFieldErrors(errors) });
}

/** The error for a path that was taken by a concurrent request. */
export const PATH_NOT_SAVED = failNotSaved({ path: PATH_TAKEN });
