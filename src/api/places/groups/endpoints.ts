import { open, signedIn } from '../../../http/access/access.ts';
import { inGroup, inPublicGroup } from '../../../http/access/project-access.ts';
import { accepted, created, entity, page } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { isBeyondOffset, offsetTooFar } from '../../../http/lists/offset-limit.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, text } from '../../../http/parameters/types.ts';
import { isRefused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { setArchived } from './archive.ts';
import { createGroup as create } from './create.ts';
import { deleteAtOnce, restoreGroup as restore, scheduleDeletion } from './deletion.ts';
import { Group, GroupDetail } from './entities.ts';
import { GROUPS_KEYSET, pageOfGroups } from './list.ts';
import { changesIn, columns, filters, namedGroup } from './parameters.ts';
import { presentGroup, presentGroups } from './present.ts';
import { transferGroup as transfer } from './transfer.ts';
import { updateGroup as update } from './update.ts';

const groupNotFound = [404, '404 Group Not Found'] as const;
const forbidden = [403, '403 Forbidden'] as const;
const gone = groupNotFound;
const invalid = [400, RECORD_ERRORS] as const;

export const listGroups = endpoint({
  get: '/groups',
  summary: 'List groups',
  access: open(),
  params: filters,
  keyset: GROUPS_KEYSET,
  remembered: true,
  refuses: { offsetTooFar: offsetTooFar('Group') },
  answer: page(Group),
  async handle({ caller, params, page, db, git, base }) {
    const { offset_pagination_limit: limit } = await readSettings(db);
    if (caller.user === null && isBeyondOffset(page, limit)) return refused('offsetTooFar', { limit });
    const { order_by: order, sort } = params;
    const listing = { filter: params, scope: 'everywhere', order, sort, page, today: base.now.slice(0, 10) } as const;
    return presentGroups({ db, git, caller, base }, await pageOfGroups(db, caller, listing), params.statistics);
  },
});

export const createGroup = endpoint({
  post: '/groups',
  summary: 'Create a group, at the top level or below another',
  access: signedIn(),
  params: { name: required(text), path: required(text), parent_id: optional(integer), ...columns },
  refuses: { groupNotFound, forbidden, notSaved: [400, 'Failed to save group {errors}'] },
  records: ['group_created'],
  answer: created(GroupDetail),
  async handle({ caller, params, config, facts, database, db, git, base }) {
    const parent = await namedGroup(db, caller, params.parent_id, base.now.slice(0, 10));
    if (isRefused(parent)) return parent;
    const id = await create({ config, facts, database }, caller, parent, changesIn(params, parent === null));
    return isRefused(id) ? id : presentGroup({ db, git, caller, base }, id);
  },
});

export const readGroup = endpoint({
  get: '/groups/:id',
  summary: 'One group',
  access: inPublicGroup('read_group'),
  params: { with_projects: optional(boolean, true), statistics: optional(boolean, false) },
  remembered: true,
  answer: entity(GroupDetail),
  handle: ({ group, caller, params, db, git, base }) =>
    presentGroup({ db, git, caller, base }, group.id, {
      withProjects: params.with_projects,
      withStatistics: params.statistics,
    }),
});

export const updateGroup = endpoint({
  put: '/groups/:id',
  summary: 'Change a group',
  access: inGroup('update_group'),
  params: { name: optional(text), path: optional(text), ...columns },
  refuses: { invalid, gone },
  records: ['group_name_updated', 'group_path_updated', 'group_visibility_level_updated', 'group_description_updated'],
  answer: entity(GroupDetail),
  async handle({ group, caller, params, config, facts, database, db, git, base }) {
    const changes = changesIn(params, group.parent_id === null);
    const refusal = await update({ config, facts, database }, caller, group.id, changes);
    return refusal ?? presentGroup({ db, git, caller, base }, group.id);
  },
});

export const deleteGroup = endpoint({
  delete: '/groups/:id',
  summary: 'Schedule the deletion of a group, or destroy a subgroup whose deletion is scheduled',
  access: inGroup('remove_group'),
  params: { permanently_remove: optional(boolean, false), full_path: optional(text) },
  conditional: ({ group }) => group.updated_at,
  refuses: {
    alreadyMarked: [400, 'Group has already been marked for deletion'],
    rootNotAtOnce: [400, '`permanently_remove` option is only available for subgroups.'],
    notMarked: [400, 'Group must be marked for deletion first.'],
    wrongPath: [400, '`full_path` is incorrect. You must enter the complete path for the subgroup.'],
    gone,
  },
  records: ['group_destroyed', 'project_destroyed'],
  answer: accepted,
  async handle({ group, caller, params, config, facts, database }) {
    const rooms = { config, facts, database };
    const refusal = params.permanently_remove
      ? await deleteAtOnce(rooms, caller, group.id, params.full_path)
      : await scheduleDeletion(rooms, caller, group.id);
    if (refusal !== null) return refusal;
  },
});

export const restoreGroup = endpoint({
  post: '/groups/:id/restore',
  summary: 'Take back the scheduled deletion of a group',
  access: inGroup('remove_group'),
  refuses: {
    notMarked: [400, 'Group has not been marked for deletion'],
    pathTaken: [400, { message: { path: ['has already been taken'] } }],
    gone,
  },
  answer: created(GroupDetail),
  handle: async ({ group, caller, config, facts, database, db, git, base }) =>
    (await restore({ config, facts, database }, caller, group.id)) ?? presentGroup({ db, git, caller, base }, group.id),
});

export const archiveGroup = endpoint({
  post: '/groups/:id/archive',
  summary: 'Archive a group',
  access: inGroup('archive_group'),
  refuses: { already: [422, 'Group is already archived!'] },
  answer: entity(GroupDetail),
  handle: async ({ group, caller, database, db, git, base }) =>
    (await setArchived(database, group, true)) ?? presentGroup({ db, git, caller, base }, group.id),
});

export const unarchiveGroup = endpoint({
  post: '/groups/:id/unarchive',
  summary: 'End the archiving of a group',
  access: inGroup('archive_group'),
  refuses: { already: [422, 'Group is already unarchived!'] },
  answer: entity(GroupDetail),
  handle: async ({ group, caller, database, db, git, base }) =>
    (await setArchived(database, group, false)) ?? presentGroup({ db, git, caller, base }, group.id),
});

export const transferGroup = endpoint({
  post: '/groups/:id/transfer',
  summary: 'Move a group below another, or to the top level',
  access: inGroup('transfer_group'),
  params: { group_id: optional(integer) },
  refuses: {
    groupNotFound,
    gone,
    isRoot: [400, 'Transfer failed: Group is already a root group.'],
    sameParent: [400, 'Transfer failed: Group is already associated to the parent group.'],
    intoItself: [400, 'Transfer failed: Cannot transfer group to one of its subgroup.'],
    pathTaken: [400, 'Transfer failed: The parent group already has a subgroup or a project with the same path.'],
    tooDeep: [400, 'Transfer failed: The full path of a group is too long.'],
    noPermission: [400, "Transfer failed: You don't have enough permissions."],
  },
  records: ['group_visibility_level_updated', 'project_visibility_level_updated'],
  answer: created(GroupDetail),
  async handle({ group, caller, params, config, facts, database, db, git, base }) {
    const target = await namedGroup(db, caller, params.group_id, base.now.slice(0, 10));
    if (isRefused(target)) return target;
    const refusal = await transfer({ config, facts, database }, caller, group, target);
    return refusal ?? presentGroup({ db, git, caller, base }, group.id);
  },
});

export const listSubgroups = endpoint({
  get: '/groups/:id/subgroups',
  summary: 'List the groups directly below a group',
  access: inPublicGroup('read_group'),
  params: filters,
  answer: page(Group),
  async handle({ group, caller, params, page, db, git, base }) {
    const { order_by: order, sort } = params;
    const listing = {
      filter: params,
      scope: { childrenOf: group.id },
      order,
      sort,
      page,
      today: base.now.slice(0, 10),
    };
    return presentGroups({ db, git, caller, base }, await pageOfGroups(db, caller, listing), params.statistics);
  },
});

export const listDescendantGroups = endpoint({
  get: '/groups/:id/descendant_groups',
  summary: 'List all groups below a group',
  access: inPublicGroup('read_group'),
  params: filters,
  answer: page(Group),
  async handle({ group, caller, params, page, db, git, base }) {
    const { order_by: order, sort } = params;
    const listing = { filter: params, scope: { below: group.id }, order, sort, page, today: base.now.slice(0, 10) };
    return presentGroups({ db, git, caller, base }, await pageOfGroups(db, caller, listing), params.statistics);
  },
});
