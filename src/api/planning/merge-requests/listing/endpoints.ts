import {
  mergeRequestScopeType,
  scopeAccess,
  toAllProjectsParent,
  toScopeFilter,
} from '#api/planning/issuables/index.ts';
import { milestoneResource, READ_MILESTONES } from '#api/planning/milestones/index.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { inGroupAllowingAnonymous, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { ListedMergeRequest, MergeRequestInList } from '../entities.ts';
import { listMergeRequests as list, listMergeRequestsOfMilestone, listMergeRequestsOfProject } from './list.ts';
import {
  type MergeRequestOrder,
  mergeRequestFilterRules,
  mergeRequestListParams,
  projectMergeRequestParams,
} from './parameters.ts';

const nonArchived = describe(optional(boolean, true), 'Leaves out merge requests of archived projects.');

export const listMergeRequests = endpoint({
  get: '/merge_requests',
  summary: 'List merge requests of all projects',
  description:
    'Returns the merge requests that the caller may read, of all projects. By default, these are the ones that the caller created. Anonymous callers must set `scope=all`.',
  access: scopeAccess(),
  params: {
    scope: optional(mergeRequestScopeType, 'created_by_me'),
    ...mergeRequestListParams,
    non_archived: nonArchived,
  },
  rules: mergeRequestFilterRules,
  response: page(ListedMergeRequest),
  read: (db, { caller, params, page }) =>
    list(
      db,
      caller,
      toAllProjectsParent(params.non_archived),
      { ...params, ...toScopeFilter(caller, params) },
      toOrdering(params),
      page,
    ),
});

type OrderParams = {
  readonly order_by: MergeRequestOrder;
  readonly sort: 'asc' | 'desc';
};

const toOrdering = ({ order_by: order, sort: direction }: OrderParams) => ({ order, direction });

export const listGroupMergeRequests = endpoint({
  get: '/groups/:id/merge_requests',
  summary: 'List the merge requests of a group',
  description: 'Returns the merge requests of the projects in the group and its subgroups that the caller may read.',
  access: inGroupAllowingAnonymous('read_group'),
  params: {
    scope: optional(mergeRequestScopeType, 'all'),
    ...mergeRequestListParams,
    non_archived: nonArchived,
  },
  rules: mergeRequestFilterRules,
  response: page(ListedMergeRequest),
  read: (db, { group, caller, params, page }) => {
    const listScope = { group, nonArchived: params.non_archived !== false };
    return list(db, caller, listScope, { ...params, ...toScopeFilter(caller, params) }, toOrdering(params), page);
  },
});

export const listProjectMergeRequests = endpoint({
  get: '/projects/:id/merge_requests',
  summary: 'List the merge requests of a project',
  description: 'Returns merge requests in all states, newest first by default.',
  access: inProjectAllowingAnonymous('read_merge_request'),
  params: projectMergeRequestParams,
  rules: mergeRequestFilterRules,
  response: page(ListedMergeRequest),
  read: (db, call) => listMergeRequestsOfProject(db, call),
});

export const [listGroupMilestoneMergeRequests, listProjectMilestoneMergeRequests] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id/merge_requests`,
    summary: 'List the merge requests of a milestone',
    description:
      'Returns the merge requests in all states that the caller may read, by label priority and then newest first.',
    access: parent.accessWith(READ_MILESTONES).resource(milestoneResource),
    response: page(MergeRequestInList),
    read: (db, { parent: milestoneParent, caller, milestone, page }) =>
      listMergeRequestsOfMilestone(db, caller, milestoneParent, milestone, page),
  }),
);
