import { everywhere, me, scoped, scopeType } from '#api/planning/issuables/index.ts';
import { ownMilestone, SEEING_MILESTONES } from '#api/planning/milestones/index.ts';
import { forBoth } from '#http/access/parents.ts';
import { inPublicGroup, inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { ListedMergeRequest, MergeRequestInList } from '../entities.ts';
import { listMergeRequests as list, mergeRequestsOfMilestone } from './list.ts';
import { filterRules, listParams } from './parameters.ts';
import { mergeRequestsOfProject, ofProjectParams } from './project-merge-requests.ts';

/** Lists of merge requests. */

export const listMergeRequests = endpoint({
  get: '/merge_requests',
  summary: 'List merge requests of all projects: one’s own, those assigned to one, or all that one may read',
  access: me(),
  params: {
    scope: optional(scopeType, 'created_by_me'),
    ...listParams,
    non_archived: optional(boolean, true),
  },
  rules: filterRules,
  response: page(ListedMergeRequest),
  read: (db, { caller, params, page }) =>
    list(db, caller, everywhere(params.non_archived), { ...params, ...scoped(caller, params) }, orderIn(params), page),
});

type Ordered = {
  readonly order_by: 'created_at' | 'updated_at' | 'title' | 'merged_at';
  readonly sort: 'asc' | 'desc';
};

const orderIn = ({ order_by: order, sort: direction }: Ordered) => ({ order, direction });

export const listGroupMergeRequests = endpoint({
  get: '/groups/:id/merge_requests',
  summary: 'List the merge requests of a group’s projects and of those in its subgroups',
  access: inPublicGroup('read_group'),
  params: { scope: optional(scopeType, 'all'), ...listParams, non_archived: optional(boolean, true) },
  rules: filterRules,
  response: page(ListedMergeRequest),
  read: (db, { group, caller, params, page }) => {
    const of = { group, nonArchived: params.non_archived !== false };
    return list(db, caller, of, { ...params, ...scoped(caller, params) }, orderIn(params), page);
  },
});

export const listProjectMergeRequests = endpoint({
  get: '/projects/:id/merge_requests',
  summary: 'List the merge requests of a project',
  access: inPublicProject('read_merge_request'),
  params: ofProjectParams,
  rules: filterRules,
  response: page(ListedMergeRequest),
  read: (db, call) => mergeRequestsOfProject(db, call),
});

export const [listGroupMilestoneMergeRequests, listProjectMilestoneMergeRequests] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id/merge_requests`,
    summary: 'List the merge requests of a milestone, by the priorities of their labels',
    access: parent.may(SEEING_MILESTONES).resource(ownMilestone),
    response: page(MergeRequestInList),
    read: (db, { parent: place, caller, milestone, page }) =>
      mergeRequestsOfMilestone(db, caller, place, milestone, page),
  }),
);
