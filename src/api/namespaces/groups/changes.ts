import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { isReservedName } from '#authentication/users/usernames.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import { mayCreateSubgroupIn, mayCreateTopLevelGroup } from '#authorization/namespace-creation.ts';
import {
  getWidestAllowedVisibility,
  minVisibility,
  type Visibility,
  validateAllowedVisibility,
} from '#authorization/visibility.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { createMembership, toGroupSource } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { loadArchiveState } from '#domain/namespaces/archive-state.ts';
import { mergeGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import { findAvailableName, validateGroupPath, validateName } from '#domain/namespaces/name-validation.ts';
import { createNamespace, moveClosure } from '#domain/namespaces/namespaces.ts';
import { buildChildPath, type FullPath, moveNamespaceRoutes } from '#domain/namespaces/routes.ts';
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
import { recordProjectVisibility } from '../projects/index.ts';
import { recordGroupCreated, recordGroupVisibility } from './activity.ts';
import { toAttributeChanges, validateGroupAttributes } from './attributes.ts';
import type { GroupInput } from './parameters.ts';
import { type GroupRow, getGroupRow, reloadGroup } from './store.ts';
import {
  isPathFree,
  isPathTooLong,
  listWiderVisibilities,
  PATH_TAKEN,
  validateFullPath,
  validateParentVisibility,
} from './validation.ts';

interface CreateGroupInput extends GroupInput {
  readonly name: string;
  readonly path: string;
  /** Null for a top-level group. */
  readonly parent_id?: number | null | undefined;
}

/**
 * Creates a group with the actor as its Owner (contract/planning.md §3.1). The bot of a token gets no membership, but inherits its
 * role from the parent. `storages`: the names of the configured storages.
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

/** Returns the errors of name and path. Checks whether the path is taken only if its syntax is valid. */
async function validateNameAndPath(
  db: Reader,
  { name, path }: CreateGroupInput,
  parent: Group | null,
  fullPath: FullPath,
): Promise<FieldErrors> {
  const problems = validateGroupPath(path, { topLevel: parent === null });
  return { name: validateName(name), path: problems.length > 0 ? problems : await validateFullPath(db, fullPath) };
}

/** Returns the failure with all errors in one text, in the notation of Ruby that clients expect. */
function failNotSaved(errors: FieldErrors): Failure<'notSaved'> {
  return fail('notSaved', { errors: formatFieldErrors(errors) });
}

/** The error for a path that was taken by a concurrent request. */
export const PATH_NOT_SAVED = failNotSaved({ path: PATH_TAKEN });

/** Content of a group from another server. */
interface ImportGroupInput extends GroupInput {
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

/** Archives a group, and thereby everything below it (contract/planning.md §3.1). */
export async function archiveGroup(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<GroupRow | Failure<'alreadyArchived' | 'ancestorArchived' | 'scheduledForDeletion'>> {
  const { archived, marked } = await loadArchiveState(uow, id);
  if (archived.direct) return fail('alreadyArchived');
  if (archived.inherited) return fail('ancestorArchived');
  if (marked.any) return fail('scheduledForDeletion');
  return setArchived(uow, id, true);
}

/** Unarchives a group. Groups and projects below it that were archived separately stay archived. */
export async function unarchiveGroup(
  uow: UnitOfWork,
  { id }: Pick<Group, 'id'>,
): Promise<GroupRow | Failure<'ancestorArchived' | 'alreadyUnarchived'>> {
  const { archived } = await loadArchiveState(uow, id);
  if (archived.inherited) return fail('ancestorArchived');
  if (!archived.direct) return fail('alreadyUnarchived');
  return setArchived(uow, id, false);
}

/** Stores whether the group is archived and returns its row. index: namespaces primary key */
async function setArchived(uow: UnitOfWork, id: number, archived: boolean): Promise<GroupRow> {
  await uow.updateTable('namespaces').set({ archived, updated_at: uow.now }).where('id', '=', id).execute();
  return getGroupRow(uow, id);
}

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
  await moveGroupRoutes(uow, id, buildChildPath(target, group.path, group.name));
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

/** Returns whether the group is the ancestor itself or below it. index: namespace_closure_pkey */
function isDescendantOf(db: Reader, groupId: number, ancestorId: number): Promise<boolean> {
  return hasRow(selectDescendantIds(db, ancestorId).where('descendant_id', '=', groupId));
}

/**
 * Returns the new parent of a group: the group with this id, or null (top level) if no id is given. Fails if the actor cannot see
 * it.
 */
async function findParentGroup(
  uow: UnitOfWork,
  id: number | null | undefined,
): Promise<Group | null | Failure<'groupNotFound'>> {
  if (id == null) return null;
  const group = await findGroup(uow, uow.actor, String(id));
  return group !== null && canSeeGroup(uow.actor, group) ? group : fail('groupNotFound');
}

/** Returns whether the actor may create groups in the parent; null means the top level. */
async function mayCreateGroupIn(uow: UnitOfWork<SignedInCaller>, parent: Group | null): Promise<boolean> {
  return parent === null ? mayCreateTopLevelGroup(uow, uow.actor) : mayCreateSubgroupIn(uow.actor, parent);
}

/** Moves the group with everything below it, and publishes an event for each project whose path changes. */
export async function moveGroupRoutes(uow: UnitOfWork, groupId: number, fullPath: FullPath): Promise<void> {
  await moveNamespaceRoutes(uow, groupId, fullPath, ({ project_id, old_path }) =>
    uow.publish('project-moved', { projectId: project_id, oldPaths: [old_path] }),
  );
}

/** Lowers the visibility of the group and everything below it, and records each change. */
async function lowerVisibility(uow: UnitOfWork, groupId: number, visibility: Visibility): Promise<void> {
  const widerVisibilities = listWiderVisibilities(visibility);
  if (widerVisibilities.length === 0) return;
  const [groups, projects] = [
    await listGroupsWithVisibility(uow, groupId, widerVisibilities),
    await listProjectsWithVisibility(uow, groupId, widerVisibilities),
  ];
  const visibilityColumns = { visibility, updated_at: uow.now };
  const descendantIds = selectDescendantIds(uow, groupId);
  // index: namespace_closure_by_ancestor, projects_by_namespace
  const updateGroups = uow
    .updateTable('namespaces')
    .set(visibilityColumns)
    .where('visibility', 'in', widerVisibilities);
  await updateGroups.where('id', 'in', descendantIds).execute();
  const updateProjects = uow
    .updateTable('projects')
    .set(visibilityColumns)
    .where('visibility', 'in', widerVisibilities);
  await updateProjects.where('namespace_id', 'in', descendantIds).execute();
  for (const group of groups) await recordGroupVisibility(uow, group, group.visibility, visibility);
  for (const project of projects) await recordProjectVisibility(uow, project, project.visibility, visibility);
}

/** Returns the group and its descendants with one of these visibilities. index: namespace_closure_by_ancestor, routes_by_namespace */
function listGroupsWithVisibility(db: Reader, groupId: number, visibilities: readonly Visibility[]) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'namespaces.visibility', 'routes.full_path'])
    .where('namespaces.id', 'in', selectDescendantIds(db, groupId))
    .where('namespaces.visibility', 'in', visibilities)
    .orderBy('namespaces.id')
    .execute();
}

/**
 * Returns the projects in the group, at any depth, with one of these visibilities.
 * index: namespace_closure_by_ancestor, projects_by_namespace, routes_by_project
 */
function listProjectsWithVisibility(db: Reader, groupId: number, visibilities: readonly Visibility[]) {
  return db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['projects.id', 'projects.visibility', 'routes.full_path'])
    .where('projects.namespace_id', 'in', selectDescendantIds(db, groupId))
    .where('projects.visibility', 'in', visibilities)
    .orderBy('projects.id')
    .execute();
}
