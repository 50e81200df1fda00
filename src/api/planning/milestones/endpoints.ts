import { ownReach, reachOf } from '#domain/namespaces/scope.ts';
import { forBoth, turnOf } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, optional, required } from '#http/parameters/declarations.ts';
import { expression, longDescription, ruledText, string } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { MANAGING, ownMilestone, promoting, SEEING } from './access.ts';
import { createMilestone } from './create.ts';
import { deleteMilestone } from './delete.ts';
import { Milestone } from './entities.ts';
import { promoteMilestone } from './promote.ts';
import { listMilestones } from './store.ts';
import { changeMilestone } from './update.ts';
import { TITLE_TAKEN } from './validation.ts';

// Projects and groups have the same endpoints (contract/planning.md §3.5).

const TAKEN = { milestones_by_project_title: TITLE_TAKEN, milestones_by_group_title: TITLE_TAKEN } as const;

const content = {
  description: optional(longDescription),
  due_date: optional(date),
  start_date: optional(date),
};

export const [listGroupMilestones, listProjectMilestones] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/milestones`,
    summary: 'List milestones',
    access: parent.may(SEEING),
    params: {
      state: optional(oneOf('active', 'closed', 'all'), 'all'),
      iids: optional(commaArray(integer)),
      title: optional(string),
      search: optional(expression),
      include_ancestors: optional(boolean, false),
      include_parent_milestones: optional(boolean, false, 'The old name of include_ancestors'),
      updated_before: optional(dateTime),
      updated_after: optional(dateTime),
    },
    response: page(Milestone),
    async read(db, { parent, params, page }) {
      const above = params.include_ancestors || params.include_parent_milestones;
      return listMilestones(db, above ? await reachOf(db, parent) : ownReach(parent), params, page);
    },
  }),
);

export const [readGroupMilestone, readProjectMilestone] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id`,
    summary: 'Read a milestone',
    access: parent.may(SEEING).resource(ownMilestone),
    response: ok(Milestone),
    read: (_db, { milestone }) => milestone,
  }),
);

export const [createGroupMilestone, createProjectMilestone] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/milestones`,
    summary: 'Create a milestone',
    access: parent.may(MANAGING),
    params: { title: required(ruledText(255)), ...content },
    lock: ({ parent }) => turnOf('milestones', parent),
    errors: { notSaved: [400, 'Failed to create milestone {errors}'] },
    uniqueErrors: TAKEN,
    activity: parent.own({ group: [], project: ['created Milestone'] }),
    response: created(Milestone),
    write: (uow, { parent, params: { title, description = null, start_date = null, due_date = null } }) =>
      createMilestone(uow, parent, { title, description, start_date, due_date }),
  }),
);

export const [updateGroupMilestone, updateProjectMilestone] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/milestones/:milestone_id`,
    summary: 'Change, close or reopen a milestone',
    access: parent.may(MANAGING).resource(ownMilestone),
    params: { title: optional(ruledText(255)), ...content, state_event: optional(oneOf('close', 'activate')) },
    rules: [atLeastOne('title', 'description', 'start_date', 'due_date', 'state_event')],
    lock: ({ parent }) => turnOf('milestones', parent),
    errors: { notFound: NOT_FOUND, notSaved: [400, 'Failed to update milestone {errors}'] },
    uniqueErrors: TAKEN,
    activity: parent.own({ group: [], project: ['closed Milestone', 'reopened Milestone'] }),
    response: ok(Milestone),
    write: (uow, { parent, milestone, params: { title, description, start_date, due_date, state_event } }) =>
      changeMilestone(uow, parent, milestone.id, { title, description, start_date, due_date, state_event }),
  }),
);

export const [deleteGroupMilestone, deleteProjectMilestone] = forBoth((parent) =>
  endpoint({
    delete: `${parent.path}/milestones/:milestone_id`,
    summary: 'Delete a milestone',
    access: parent.may(MANAGING).resource(ownMilestone),
    errors: { notFound: NOT_FOUND },
    activity: parent.own({ group: [], project: ['destroyed Milestone'] }),
    response: noContent,
    handle: ({ milestone, parent: place, caller }, { runUnitOfWork }) =>
      deleteMilestone(runUnitOfWork, { parent: place, caller }, milestone),
  }),
);

export const promoteProjectMilestone = endpoint({
  post: '/projects/:id/milestones/:milestone_id/promote',
  summary: "Make a project's milestone one of its group",
  access: promoting(),
  lock: ({ project }) => turnOf('milestones', project),
  errors: {
    notFound: NOT_FOUND,
    titleTaken: [400, 'Promotion failed - Title already being used for another group or project milestone.'],
  },
  uniqueErrors: { milestones_by_group_title: 'titleTaken' },
  response: ok(Milestone),
  write: (uow, { project, group, milestone }) => promoteMilestone(uow, { project, group }, milestone.id),
});
