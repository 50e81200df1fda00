import { open, signedIn } from '#http/access/access.ts';
import { inGroup, inPublicGroup } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, GONE, INVALID } from '#http/errors/error-messages.ts';
import { offsetTooFar } from '#http/lists/offset-limit.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { ruledText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { invalid } from '#runtime/failure.ts';
import { archive, unarchive } from './archive.ts';
import { createGroup as create, PATH_NOT_SAVED } from './create.ts';
import { deleteAtOnce, restoreGroup as restore, scheduleDeletion } from './deletion/delete.ts';
import { Group, GroupDetail, ReadGroup } from './entities.ts';
import { GROUPS_KEYSET, pageOfAllGroups, pageOfGroups } from './list.ts';
import { columns, filters } from './parameters.ts';
import { TAKEN } from './path-validation.ts';
import { transferGroup as transfer } from './transfer.ts';
import { updateGroup as update } from './update.ts';

export const listGroups = endpoint({
  get: '/groups',
  summary: 'List groups',
  access: open(),
  params: filters,
  keyset: GROUPS_KEYSET,
  errors: { offsetTooFar: offsetTooFar('Group') },
  response: page(Group),
  read: (db, { caller, params, page }) => pageOfAllGroups(db, caller, params, page),
});

export const createGroup = endpoint({
  post: '/groups',
  summary: 'Create a group, at the top level or below another',
  access: signedIn(),
  params: { name: required(ruledText(255)), path: required(ruledText(255)), parent_id: optional(integer), ...columns },
  errors: {
    groupNotFound: GONE.Group,
    forbidden: FORBIDDEN,
    notSaved: [400, 'Failed to save group {errors}'],
  },
  uniqueErrors: { routes_by_full_path: PATH_NOT_SAVED },
  activity: ['group_created'],
  response: created(GroupDetail),
  handle: ({ caller, params }, { runUnitOfWork, config }) =>
    runUnitOfWork(caller, (uow) => create(uow, params, Object.keys(config.storages))),
});

export const readGroup = endpoint({
  get: '/groups/:id',
  summary: 'One group',
  access: inPublicGroup('read_group'),
  params: { with_projects: optional(boolean, true), statistics: optional(boolean, false) },
  response: ok(ReadGroup),
  read: (_db, { group }) => group,
});

export const updateGroup = endpoint({
  put: '/groups/:id',
  summary: 'Change a group',
  access: inGroup('update_group'),
  params: { name: optional(ruledText(255)), path: optional(ruledText(255)), ...columns },
  errors: { invalid: INVALID, gone: GONE.Group },
  uniqueErrors: { routes_by_full_path: invalid({ path: TAKEN }) },
  activity: ['group_name_updated', 'group_path_updated', 'group_visibility_level_updated', 'group_description_updated'],
  response: ok(GroupDetail),
  write: (uow, { group, params }) => update(uow, group, params),
});

export const deleteGroup = endpoint({
  delete: '/groups/:id',
  summary: 'Schedule the deletion of a group, or destroy a subgroup whose deletion is scheduled',
  access: inGroup('remove_group'),
  params: { permanently_remove: optional(boolean, false), full_path: optional(string) },
  lastModified: ({ group }) => group.updated_at,
  errors: {
    alreadyMarked: [400, 'Group has already been marked for deletion'],
    rootNotAtOnce: [400, '`permanently_remove` option is only available for subgroups.'],
    notMarked: [400, 'Group must be marked for deletion first.'],
    wrongPath: [400, '`full_path` is incorrect. You must enter the complete path for the subgroup.'],
    gone: GONE.Group,
  },
  activity: ['group_destroyed', 'project_destroyed'],
  response: accepted,
  write: (uow, { group, params }) =>
    params.permanently_remove ? deleteAtOnce(uow, group, params.full_path) : scheduleDeletion(uow, group),
});

export const restoreGroup = endpoint({
  post: '/groups/:id/restore',
  summary: 'Take back the scheduled deletion of a group',
  access: inGroup('remove_group'),
  errors: {
    notMarked: [400, 'Group has not been marked for deletion'],
    gone: GONE.Group,
  },
  response: created(GroupDetail),
  handle: ({ caller, group }, { runUnitOfWork }) =>
    runUnitOfWork(caller, (uow) => restore(uow, group), { againWhenTaken: ['routes_by_full_path'] }),
});

export const archiveGroup = endpoint({
  post: '/groups/:id/archive',
  summary: 'Archive a group',
  access: inGroup('archive_group'),
  errors: {
    already: [422, 'Group is already archived!'],
    archivedAbove: [422, 'Cannot archive group since one of the ancestor groups is already archived!'],
    scheduledForDeletion: [422, 'Cannot archive group since it is scheduled for deletion.'],
  },
  response: ok(GroupDetail),
  write: (uow, { group }) => archive(uow, group),
});

export const unarchiveGroup = endpoint({
  post: '/groups/:id/unarchive',
  summary: 'End the archiving of a group',
  access: inGroup('archive_group'),
  errors: {
    archivedAbove: [422, 'Cannot unarchive group since one of the ancestor groups is archived!'],
    already: [422, 'Group is already unarchived!'],
  },
  response: ok(GroupDetail),
  write: (uow, { group }) => unarchive(uow, group),
});

export const transferGroup = endpoint({
  post: '/groups/:id/transfer',
  summary: 'Move a group below another, or to the top level',
  access: inGroup('transfer_group'),
  params: { group_id: optional(integer) },
  errors: {
    groupNotFound: GONE.Group,
    gone: GONE.Group,
    forbidden: FORBIDDEN,
    isRoot: [400, 'Transfer failed: Group is already a root group.'],
    sameParent: [400, 'Transfer failed: Group is already associated to the parent group.'],
    intoItself: [400, 'Transfer failed: Cannot transfer group to one of its subgroup.'],
    pathTaken: [400, 'Transfer failed: The parent group already has a subgroup or a project with the same path.'],
    tooDeep: [400, 'Transfer failed: The full path of a group is too long.'],
    noPermission: [400, "Transfer failed: You don't have enough permissions."],
  },
  uniqueErrors: { routes_by_full_path: 'pathTaken' },
  activity: ['group_visibility_level_updated', 'project_visibility_level_updated'],
  response: created(GroupDetail),
  write: (uow, { group, params }) => transfer(uow, group, params.group_id),
});

export const listSubgroups = endpoint({
  get: '/groups/:id/subgroups',
  summary: 'List the groups directly below a group',
  access: inPublicGroup('read_group'),
  params: filters,
  response: page(Group),
  read: (db, { group, caller, params, page }) => pageOfGroups(db, caller, { childrenOf: group.id }, params, page),
});

export const listDescendantGroups = endpoint({
  get: '/groups/:id/descendant_groups',
  summary: 'List all groups below a group',
  access: inPublicGroup('read_group'),
  params: filters,
  response: page(Group),
  read: (db, { group, caller, params, page }) => pageOfGroups(db, caller, { below: group.id }, params, page),
});
