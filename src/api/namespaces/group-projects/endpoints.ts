import { type AccessCall, administratorLate } from '#http/access/access.ts';
import { groupOf, inPublicGroup, projectOf } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { GroupDetail } from '../groups/index.ts';
import {
  commonFilter,
  filterParams,
  pageOfProjects,
  ShownProject,
  TRANSFER_REFUSALS,
  TRANSFER_TAKEN,
  transfer,
} from '../projects/index.ts';

export const listGroupProjects = endpoint({
  get: '/groups/:id/projects',
  summary: 'List the projects of a group that the caller sees',
  access: inPublicGroup('read_group'),
  params: {
    ...filterParams,
    order_by: optional(oneOf('id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at'), 'created_at'),
    include_subgroups: optional(boolean, false),
    with_shared: optional(boolean, true),
  },
  response: page(ShownProject),
  read(db, { caller, group, params, page }) {
    const namespace = { id: group.id, below: params.include_subgroups };
    const filter = { ...commonFilter(params), namespace };
    return pageOfProjects(db, caller, { filter, order: params.order_by, direction: params.sort, page });
  },
});

const group = {
  name: 'group',
  load: (call: AccessCall) => groupOf(call),
  notFound: () => notFound('Group'),
} as const;

const project = {
  name: 'project',
  load: (call: AccessCall) => projectOf(call, 'project_id'),
  notFound: () => notFound('Project'),
} as const;

export const moveProjectIntoGroup = endpoint({
  post: '/groups/:id/projects/:project_id',
  summary: 'Move a project into a group',
  access: administratorLate().resource(group).resource(project),
  errors: TRANSFER_REFUSALS,
  uniqueErrors: TRANSFER_TAKEN,
  activity: ['project_namespace_updated'],
  response: created(GroupDetail),
  async write(uow, { group, project }) {
    const moved = await transfer(uow, project, String(group.id));
    return isFailure(moved) ? moved : group;
  },
});
