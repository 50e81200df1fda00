import { isInScopeOrBelow } from '#authorization/descendant-resources.ts';
import { ancestorsAndSelf, selfOnly } from '#domain/namespaces/scope.ts';
import { forGroupAndProject, hierarchyLockKey } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longDescription, searchExpression, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, date, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { MANAGE_MILESTONES, milestoneResource, promoteMilestoneAccess, READ_MILESTONES } from './access.ts';
import {
  createMilestone,
  deleteMilestone,
  MAX_TITLE_LENGTH,
  MILESTONE_TITLE_TAKEN,
  promoteMilestone,
  updateMilestone,
} from './changes.ts';
import { Milestone } from './entities.ts';
import { listMilestones } from './store.ts';

// Projects and groups have the same endpoints (contract/planning.md §3.5).

const UNIQUE_ERRORS = {
  milestones_by_project_title: MILESTONE_TITLE_TAKEN,
  milestones_by_group_title: MILESTONE_TITLE_TAKEN,
} as const;

const contentParams = {
  description: optional(longDescription),
  due_date: describe(optional(date), 'Must be later than `start_date`.'),
  start_date: optional(date),
};

const descendantsParam = describe(
  optional(boolean, false),
  'Also lists the milestones of subgroups and projects that the caller can see.',
);

export const [listGroupMilestones, listProjectMilestones] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/milestones`,
    summary: 'List milestones',
    description: `Lists the milestones of the ${parent.type} itself, ordered by due date, then newest first. Milestones without a due date come last.`,
    access: parent.accessWith(READ_MILESTONES),
    params: {
      state: optional(oneOf('active', 'closed', 'all'), 'all'),
      iids: optional(commaSeparated(integer)),
      title: describe(optional(string), 'Lists only milestones with exactly this title.'),
      search: describe(
        optional(searchExpression),
        'Words that must all occur in the title, or all in the description.',
      ),
      include_ancestors: describe(optional(boolean, false), 'Also lists the milestones of the ancestor groups.'),
      include_parent_milestones: describe(optional(boolean, false), 'Deprecated: use `include_ancestors`.'),
      ...parent.select<object>({ group: { include_descendants: descendantsParam }, project: {} }),
      updated_before: optional(dateTime),
      updated_after: optional(dateTime),
    },
    response: page(Milestone),
    async read(db, { parent, caller, params, page }) {
      const includeAncestors = params.include_ancestors || params.include_parent_milestones;
      const { include_descendants: includeDescendants = false } = params as { readonly include_descendants?: boolean };
      const scope = includeAncestors ? await ancestorsAndSelf(db, parent) : selfOnly(parent);
      const owners = { groupId: parent.group?.id ?? 0, subgroups: true, projects: true };
      const ownerCondition = includeDescendants ? isInScopeOrBelow(db, 'milestones', scope, caller, owners) : null;
      return listMilestones(db, scope, { ...params, ownerCondition }, page);
    },
  }),
);

export const [getGroupMilestone, getProjectMilestone] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id`,
    summary: 'Get a milestone',
    description: 'Returns a milestone of the project or group itself; those of ancestor groups are not found.',
    access: parent.accessWith(READ_MILESTONES).resource(milestoneResource),
    response: ok(Milestone),
    read: (_db, { milestone }) => milestone,
  }),
);

export const [createGroupMilestone, createProjectMilestone] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/milestones`,
    summary: 'Create a milestone',
    description:
      'Creates an active milestone. Its title must be unique in the project or group, its ancestor groups and, for a group, everything below it.',
    access: parent.accessWith(MANAGE_MILESTONES),
    params: { title: required(domainValidatedText(MAX_TITLE_LENGTH)), ...contentParams },
    lock: ({ parent }) => hierarchyLockKey('milestones', parent),
    errors: { notSaved: [400, 'Failed to create milestone {errors}'] },
    uniqueErrors: UNIQUE_ERRORS,
    activity: parent.select({ group: [], project: ['created Milestone'] }),
    response: created(Milestone),
    write: (uow, { parent, params: { title, description = null, start_date = null, due_date = null } }) =>
      createMilestone(uow, parent, { title, description, start_date, due_date }),
  }),
);

export const [updateGroupMilestone, updateProjectMilestone] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/milestones/:milestone_id`,
    summary: 'Update, close or reopen a milestone',
    description:
      'Updates the given attributes of a milestone of the project or group itself. At least one attribute is required. If nothing changes, `updated_at` stays as it is.',
    access: parent.accessWith(MANAGE_MILESTONES).resource(milestoneResource),
    params: {
      title: optional(domainValidatedText(MAX_TITLE_LENGTH)),
      ...contentParams,
      state_event: describe(optional(oneOf('close', 'activate')), '`activate` reopens a closed milestone.'),
    },
    rules: [atLeastOne('title', 'description', 'start_date', 'due_date', 'state_event')],
    lock: ({ parent }) => hierarchyLockKey('milestones', parent),
    errors: { notFound: NOT_FOUND, notSaved: [400, 'Failed to update milestone {errors}'] },
    uniqueErrors: UNIQUE_ERRORS,
    activity: parent.select({ group: [], project: ['closed Milestone', 'reopened Milestone'] }),
    response: ok(Milestone),
    write: (uow, { parent, milestone, params: { title, description, start_date, due_date, state_event } }) =>
      updateMilestone(uow, parent, milestone.id, { title, description, start_date, due_date, state_event }),
  }),
);

export const [deleteGroupMilestone, deleteProjectMilestone] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/milestones/:milestone_id`,
    summary: 'Delete a milestone',
    description:
      'Deletes the milestone and removes it from all issues and merge requests. Milestone events that refer to it are no longer listed. A failed or interrupted call can be repeated.',
    access: parent.accessWith(MANAGE_MILESTONES).resource(milestoneResource),
    errors: { notFound: NOT_FOUND },
    activity: parent.select({ group: [], project: ['destroyed Milestone'] }),
    response: noContent,
    handle: ({ milestone, parent, caller }, { runUnitOfWork }) =>
      deleteMilestone(runUnitOfWork, { parent, caller }, milestone),
  }),
);

export const promoteProjectMilestone = endpoint({
  post: '/projects/:id/milestones/:milestone_id/promote',
  summary: 'Promote a project milestone to a group milestone',
  description:
    "Creates a milestone with the same content in the project's direct group and returns it. All milestones of that title in the group's own projects are merged into it and deleted. Their issues, merge requests and milestone events follow, partly in the background if there are many. The caller needs the ability in the group too; projects in a personal namespace get 403.",
  access: promoteMilestoneAccess(),
  lock: ({ project }) => hierarchyLockKey('milestones', project),
  errors: {
    notFound: NOT_FOUND,
    titleTaken: [400, 'Promotion failed - Title already being used for another group or project milestone.'],
  },
  uniqueErrors: { milestones_by_group_title: 'titleTaken' },
  response: ok(Milestone),
  write: (uow, { project, group, milestone }) => promoteMilestone(uow, { project, group }, milestone.id),
});
