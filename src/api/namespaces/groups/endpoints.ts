import { withCustomAttributes } from '#api/identity/custom-attributes/index.ts';
import { type Caller, isSignedIn } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { paginate, paginateByKey } from '#database/page.ts';
import { OWNER } from '#domain/members/roles.ts';
import type { Group as GroupOfCaller } from '#domain/namespaces/groups.ts';
import { isCommonSearchTerm } from '#domain/namespaces/namespaces.ts';
import { open, signedIn } from '#http/access/access.ts';
import { inGroup, inGroupAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, PARENT_NOT_FOUND } from '#http/errors/error-messages.ts';
import {
  checkOffsetLimit,
  type KeysetRule,
  type ListPage,
  offsetTooFarError,
  type PageRequest,
  toKeysetPage,
} from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';
import * as changes from './changes.ts';
import { deleteGroupPermanently, restoreGroup as restoreMarkedGroup, scheduleGroupDeletion } from './delete.ts';
import { Group, GroupDetail, GroupDetailWithRunnersToken } from './entities.ts';
import { type GroupListInput, groupListParams, groupParams } from './parameters.ts';
import { type GroupRow, type GroupScope, hasFewGroups, orderGroups, selectVisibleGroups } from './store.ts';
import { updateGroup as updateGroupAttributes } from './update.ts';
import { PATH_TAKEN } from './validation.ts';

/** Keyset pagination of GET /groups, for anonymous callers only (contract/conventions.md §6). */
const GROUPS_KEYSET: KeysetRule = { orders: ['name asc'], cursorKind: 'opaque', anonymousOnly: true };

/** Returns one page of the groups that the caller can see. */
async function loadGroupPage(
  db: Reader,
  caller: Caller,
  scope: GroupScope,
  input: GroupListInput,
  page: PageRequest,
): Promise<ListPage<GroupRow>> {
  const { order_by: order, sort, search } = input;
  const scansGroups = search ? (await hasFewGroups(db)) || (await isCommonSearchTerm(db, search)) : false;
  const query = selectVisibleGroups(db, caller, input, { scope, scansGroups });
  if (page.kind === 'offset') {
    const countStrategy = search && !scansGroups ? 'countInPageQuery' : undefined;
    return paginate(db, orderGroups(query, order, sort, search), page, countStrategy);
  }
  const { sort: direction, perPage, after } = page;
  const { items } = await paginateByKey(query, 'namespaces.name', 'namespaces.id', {
    direction,
    limit: perPage + 1,
    after: after ?? undefined,
  });
  return toKeysetPage(page, items, GROUPS_KEYSET, ({ name }) => name);
}

/**
 * Returns one page of all visible groups. The offset of anonymous callers is limited; beyond the limit they
 * use keyset pagination.
 */
async function loadAllGroupsPage(
  db: Reader,
  caller: Caller,
  input: GroupListInput,
  page: PageRequest,
): Promise<ListPage<GroupRow> | Failure<'offsetTooFar'>> {
  const failure = isSignedIn(caller) ? null : await checkOffsetLimit(db, page);
  return failure ?? loadGroupPage(db, caller, 'everywhere', input, page);
}

export const listGroups = endpoint({
  get: '/groups',
  summary: 'List groups',
  description:
    'Returns the groups that the caller is a member of. Groups count whose parent, subgroup or project has the ' +
    'membership. With `all_available` or `visibility`, the list has all groups that the caller can see. ' +
    'Administrators get all groups, anonymous callers the public ones.',
  access: open(),
  params: groupListParams,
  keyset: GROUPS_KEYSET,
  errors: { offsetTooFar: offsetTooFarError('Group') },
  response: page(Group),
  read: (db, { caller, params, page }) => loadAllGroupsPage(db, caller, params, page),
});

export const createGroup = endpoint({
  post: '/groups',
  summary: 'Create a group or subgroup',
  description:
    'Creates a group at the top level or below `parent_id`, with the caller as its Owner. Callers need the right to ' +
    'create top-level groups, or the role that `subgroup_creation_level` of the parent requires. A group is never ' +
    'more visible than its parent. Without `visibility`, it has the default of the instance, lowered to that of the ' +
    'parent.',
  access: signedIn(),
  params: {
    name: required(domainValidatedText(255)),
    path: required(domainValidatedText(255)),
    parent_id: describe(optional(integer), 'Id of the parent group; absent: the group is at the top level.'),
    ...groupParams,
  },
  errors: {
    groupNotFound: PARENT_NOT_FOUND.Group,
    forbidden: FORBIDDEN,
    notSaved: [400, 'Failed to save group {errors}'],
  },
  uniqueErrors: { routes_by_full_path: changes.PATH_NOT_SAVED },
  activity: ['group_created'],
  response: created(GroupDetailWithRunnersToken),
  handle: ({ caller, params }, { runUnitOfWork, config }) =>
    runUnitOfWork(caller, async (uow) =>
      withRole(await changes.createGroup(uow, params, Object.keys(config.storages)), OWNER),
    ),
});

export const getGroup = endpoint({
  get: '/groups/:id',
  summary: 'Get a group',
  description:
    'Returns the group with its settings and, unless `with_projects` is false, up to 100 projects directly in it ' +
    'that the caller can see. Owners also get `runners_token`, if registration tokens are allowed.',
  access: inGroupAllowingAnonymous('read_group'),
  params: {
    with_projects: describe(optional(boolean, true), 'Adds `projects` and `shared_projects`.'),
    statistics: describe(optional(boolean, false), 'Adds `statistics`, for administrators only.'),
    ...withCustomAttributes,
  },
  response: ok(GroupDetailWithRunnersToken),
  read: (_db, { group }) => group,
});

export const updateGroup = endpoint({
  put: '/groups/:id',
  summary: 'Update a group',
  description:
    'Changes the sent values; absent ones stay unchanged. A new name or path changes the full path of everything ' +
    'below the group immediately. Old project paths redirect, old group paths do not. The visibility cannot be lower ' +
    'than that of a subgroup or project.',
  access: inGroup('update_group'),
  params: { name: optional(domainValidatedText(255)), path: optional(domainValidatedText(255)), ...groupParams },
  errors: { invalid: INVALID, notFound: PARENT_NOT_FOUND.Group },
  uniqueErrors: { routes_by_full_path: invalid({ path: PATH_TAKEN }) },
  activity: ['group_name_updated', 'group_path_updated', 'group_visibility_level_updated', 'group_description_updated'],
  response: ok(GroupDetailWithRunnersToken),
  write: async (uow, { group, params }) => withRole(await updateGroupAttributes(uow, group, params), group.role),
});

export const deleteGroup = endpoint({
  delete: '/groups/:id',
  summary: 'Delete a group',
  description:
    'Marks the group for deletion and renames it, so that its path is free immediately. A daily job destroys it with all ' +
    'subgroups and projects after `deletion_adjourned_period` days. Until then it can be restored. With ' +
    '`permanently_remove` and its exact `full_path`, a marked subgroup is destroyed immediately, or in the background if ' +
    'it is large.',
  access: inGroup('remove_group'),
  params: {
    permanently_remove: describe(
      optional(boolean, false),
      'Destroys a subgroup that is marked for deletion; requires `full_path`.',
    ),
    full_path: describe(optional(string), 'Current full path of the subgroup, as a confirmation.'),
  },
  lastModified: ({ group }) => group.updated_at,
  errors: {
    alreadyMarked: [400, 'Group has already been marked for deletion'],
    isRootGroup: [400, '`permanently_remove` option is only available for subgroups.'],
    notMarked: [400, 'Group must be marked for deletion first.'],
    pathMismatch: [400, '`full_path` is incorrect. You must enter the complete path for the subgroup.'],
    notFound: PARENT_NOT_FOUND.Group,
  },
  activity: ['group_destroyed', 'project_destroyed'],
  response: accepted,
  write: (uow, { group, params }) =>
    params.permanently_remove
      ? deleteGroupPermanently(uow, group, params.full_path)
      : scheduleGroupDeletion(uow, group),
});

export const restoreGroup = endpoint({
  post: '/groups/:id/restore',
  summary: 'Restore a group that is scheduled for deletion',
  description:
    'Restores a group that is marked for deletion, under its former name and path. If these are taken, both get a ' +
    'random suffix.',
  access: inGroup('remove_group'),
  errors: {
    notMarked: [400, 'Group has not been marked for deletion'],
    notFound: PARENT_NOT_FOUND.Group,
  },
  response: created(GroupDetail),
  handle: ({ caller, group }, { runUnitOfWork }) =>
    runUnitOfWork(caller, (uow) => restoreMarkedGroup(uow, group), { retryOnUniqueViolation: ['routes_by_full_path'] }),
});

export const archiveGroup = endpoint({
  post: '/groups/:id/archive',
  summary: 'Archive a group',
  description:
    'Archives the group with everything below it, which makes all of it read-only. The call fails if the group or a ' +
    'group above it is archived already, or if it is marked for deletion.',
  access: inGroup('archive_group'),
  errors: {
    alreadyArchived: [422, 'Group is already archived!'],
    ancestorArchived: [422, 'Cannot archive group since one of the ancestor groups is already archived!'],
    scheduledForDeletion: [422, 'Cannot archive group since it is scheduled for deletion.'],
  },
  response: ok(GroupDetail),
  write: (uow, { group }) => changes.archiveGroup(uow, group),
});

export const unarchiveGroup = endpoint({
  post: '/groups/:id/unarchive',
  summary: 'Unarchive a group',
  description:
    'Makes the group and everything below it writable again, except what was archived on its own. The call fails ' +
    'while a group above is archived.',
  access: inGroup('archive_group'),
  errors: {
    ancestorArchived: [422, 'Cannot unarchive group since one of the ancestor groups is archived!'],
    alreadyUnarchived: [422, 'Group is already unarchived!'],
  },
  response: ok(GroupDetail),
  write: (uow, { group }) => changes.unarchiveGroup(uow, group),
});

export const transferGroup = endpoint({
  post: '/groups/:id/transfer',
  summary: 'Transfer a group',
  description:
    'Moves the group with everything below it to another parent, or to the top level. Full paths change immediately; old ' +
    'project paths redirect. Groups and projects become at most as visible as the new parent. The caller needs the ' +
    'right to create groups in the new parent.',
  access: inGroup('transfer_group'),
  params: { group_id: describe(optional(integer), 'Id of the new parent; absent: the top level.') },
  errors: {
    groupNotFound: PARENT_NOT_FOUND.Group,
    notFound: PARENT_NOT_FOUND.Group,
    forbidden: FORBIDDEN,
    alreadyRoot: [400, 'Transfer failed: Group is already a root group.'],
    sameParent: [400, 'Transfer failed: Group is already associated to the parent group.'],
    targetIsDescendant: [400, 'Transfer failed: Cannot transfer group to one of its subgroup.'],
    pathTaken: [400, 'Transfer failed: The parent group already has a subgroup or a project with the same path.'],
    pathTooLong: [400, 'Transfer failed: The full path of a group is too long.'],
    noPermission: [400, "Transfer failed: You don't have enough permissions."],
  },
  uniqueErrors: { routes_by_full_path: 'pathTaken' },
  activity: ['group_visibility_level_updated', 'project_visibility_level_updated'],
  response: created(GroupDetail),
  write: (uow, { group, params }) => changes.transferGroup(uow, group, params.group_id),
});

export const listSubgroups = endpoint({
  get: '/groups/:id/subgroups',
  summary: 'List the subgroups of a group',
  description:
    'Returns the direct subgroups, ordered by name by default. As in `GET /groups`, signed-in callers get those that ' +
    'they are a member of, and with `all_available` all that they can see.',
  access: inGroupAllowingAnonymous('read_group'),
  params: groupListParams,
  response: page(Group),
  read: (db, { group, caller, params, page }) => loadGroupPage(db, caller, { childrenOf: group.id }, params, page),
});

export const listDescendantGroups = endpoint({
  get: '/groups/:id/descendant_groups',
  summary: 'List the descendant groups of a group',
  description:
    'Returns the groups at all depths below the group, ordered by name by default. As in `GET /groups`, signed-in ' +
    'callers get those that they are a member of, and with `all_available` all that they can see.',
  access: inGroupAllowingAnonymous('read_group'),
  params: groupListParams,
  response: page(Group),
  read: (db, { group, caller, params, page }) => loadGroupPage(db, caller, { descendantsOf: group.id }, params, page),
});

/** Adds the role of the caller to a group that the request has created or updated. */
function withRole<Code extends string>(
  saveResult: GroupRow | Failure<Code>,
  role: GroupOfCaller['role'],
): (GroupRow & Pick<GroupOfCaller, 'role'>) | Failure<Code> {
  return isFailure(saveResult) ? saveResult : { ...saveResult, role };
}
