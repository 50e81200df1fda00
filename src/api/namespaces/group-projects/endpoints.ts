import { type AccessCall, administratorAfterParameters } from '#http/access/access.ts';
import { inGroupAllowingAnonymous, loadVisibleGroup, loadVisibleProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { GroupDetail } from '../groups/index.ts';
import {
  loadProjectPage,
  PROJECT_ORDERS,
  ProjectForCaller,
  projectFilterParams,
  TRANSFER_ERRORS,
  TRANSFER_UNIQUE_ERRORS,
  toCommonFilter,
  transferProject,
} from '../projects/index.ts';

const orderByParam = optional(oneOf(...PROJECT_ORDERS), 'created_at');

export const listGroupProjects = endpoint({
  get: '/groups/:id/projects',
  summary: 'List the visible projects of a group',
  description:
    'Returns the projects directly in the group that the caller can see, newest first by default. Anonymous callers ' +
    'get the simple form. `include_subgroups` and `include_ancestor_groups` widen the list to the groups below and ' +
    'above.',
  access: inGroupAllowingAnonymous('read_group'),
  params: {
    ...projectFilterParams,
    order_by: orderByParam,
    include_subgroups: describe(optional(boolean, false), 'Adds the projects of all groups below.'),
    include_ancestor_groups: describe(optional(boolean, false), 'Adds the projects of all groups above.'),
    with_shared: describe(optional(boolean, true), 'Has no effect, because projects cannot be shared with groups.'),
    with_security_reports: describe(optional(boolean, false), 'Only projects with a job that has a security report.'),
  },
  response: page(ProjectForCaller),
  read(db, { caller, group, params, page }) {
    const namespace = {
      id: group.id,
      includeDescendants: params.include_subgroups,
      includeAncestors: params.include_ancestor_groups,
    };
    const filter = { ...toCommonFilter(params), withSecurityReports: params.with_security_reports, namespace };
    return loadProjectPage(db, caller, { filter, order: params.order_by, direction: params.sort, page });
  },
});

export const listSharedProjects = endpoint({
  get: '/groups/:id/projects/shared',
  summary: 'List the projects shared with a group',
  description:
    'Always returns an empty list, because projects cannot be shared with groups. Clients may call it like `GET ' +
    '/groups/:id/projects`.',
  access: inGroupAllowingAnonymous('read_group'),
  params: { ...projectFilterParams, order_by: orderByParam },
  response: page(ProjectForCaller),
  read: async () => ({ items: [], total: 0, hasMore: false }),
});

const group = {
  name: 'group',
  load: (call: AccessCall) => loadVisibleGroup(call),
  notFound: () => notFound('Group'),
} as const;

const project = {
  name: 'project',
  load: (call: AccessCall) => loadVisibleProject(call, 'project_id'),
  notFound: () => notFound('Project'),
} as const;

export const transferProjectToGroup = endpoint({
  post: '/groups/:id/projects/:project_id',
  summary: 'Transfer a project to a group',
  description:
    'Moves the project into the group and returns the group. The project becomes at most as visible as the group, ' +
    'its full path changes, and the old path redirects to it. The call fails if the group has a project with the ' +
    'same name or path.',
  access: administratorAfterParameters().resource(group).resource(project),
  errors: TRANSFER_ERRORS,
  uniqueErrors: TRANSFER_UNIQUE_ERRORS,
  activity: ['project_namespace_updated'],
  response: created(GroupDetail),
  async write(uow, { group, project }) {
    const transferResult = await transferProject(uow, project, String(group.id));
    return isFailure(transferResult) ? transferResult : group;
  },
});
