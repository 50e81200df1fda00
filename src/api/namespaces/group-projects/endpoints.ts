import { type AccessCall, administratorAfterParameters } from '#http/access/access.ts';
import { inGroupAllowingAnonymous, loadVisibleGroup, loadVisibleProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
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
  transfer,
} from '../projects/index.ts';

const PROJECT_ORDER = optional(oneOf(...PROJECT_ORDERS), 'created_at');

export const listGroupProjects = endpoint({
  get: '/groups/:id/projects',
  summary: 'List the visible projects of a group',
  access: inGroupAllowingAnonymous('read_group'),
  params: {
    ...projectFilterParams,
    order_by: PROJECT_ORDER,
    include_subgroups: optional(boolean, false),
    include_ancestor_groups: optional(boolean, false),
    with_shared: optional(boolean, true),
    with_security_reports: optional(boolean, false),
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

/** The list is empty, because projects cannot be shared with groups. */
export const listSharedProjects = endpoint({
  get: '/groups/:id/projects/shared',
  summary: 'List the projects shared with a group',
  access: inGroupAllowingAnonymous('read_group'),
  params: { ...projectFilterParams, order_by: PROJECT_ORDER },
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
  access: administratorAfterParameters().resource(group).resource(project),
  errors: TRANSFER_ERRORS,
  uniqueErrors: TRANSFER_UNIQUE_ERRORS,
  activity: ['project_namespace_updated'],
  response: created(GroupDetail),
  async write(uow, { group, project }) {
    const transferResult = await transfer(uow, project, String(group.id));
    return isFailure(transferResult) ? transferResult : group;
  },
});
