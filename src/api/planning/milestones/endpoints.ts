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

/** Maximum length of a title in characters. */
const MAX_TITLE_LENGTH = 255;

const contentParams = {
  description: optional(longDescription),
  due_date: optional(date),
  start_date: optional(date),
};

export const [listGroupMilestones, listProjectMilestones] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/milestones`,
    summary: 'List milestones',
    access: parent.accessWith(READ_MILESTONES),
    params: {
      state: optional(oneOf('active', 'closed', 'all'), 'all'),
      iids: optional(commaSeparated(integer)),
      title: optional(string),
      search: optional(searchExpression),
      include_ancestors: optional(boolean, false),
      include_parent_milestones: describe(optional(boolean, false), 'Deprecated: use `include_ancestors`.'),
      ...parent.select<object>({ group: { include_descendants: optional(boolean, false) }, project: {} }),
      updated_before: optional(dateTime),
      updated_after: optional(dateTime),
    },
    response: page(Milestone),
    async read(db, { parent, caller, params, page }) {
      const includeAncestors = params.include_ancestors || params.include_parent_milestones;
      const { include_descendants: includeDescendants = false } = params as { readonly include_descendants?: boolean };
      const scope = includeAncestors ? await ancestorsAndSelf(db, parent) : selfOnly(parent);
      const owners = { groupId: parent.group?.id ?? 0, subgroups: true, projects: true };
      const condition = includeDescendants ? isInScopeOrBelow(db, 'milestones', scope, caller, owners) : null;
      return listMilestones(db, scope, { ...params, condition }, page);
    },
  }),
);

export const [getGroupMilestone, getProjectMilestone] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id`,
    summary: 'Get a milestone',
    access: parent.accessWith(READ_MILESTONES).resource(milestoneResource),
    response: ok(Milestone),
    read: (_db, { milestone }) => milestone,
  }),
);

export const [createGroupMilestone, createProjectMilestone] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/milestones`,
    summary: 'Create a milestone',
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
    access: parent.accessWith(MANAGE_MILESTONES).resource(milestoneResource),
    params: {
      title: optional(domainValidatedText(MAX_TITLE_LENGTH)),
      ...contentParams,
      state_event: optional(oneOf('close', 'activate')),
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
