import { scopeAccess, scopeType, toAllProjectsParent, toScopeFilter } from '#api/planning/issuables/index.ts';
import { milestoneResource, READ_MILESTONES } from '#api/planning/milestones/index.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { inGroupAllowingAnonymous, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { IssueInList, IssuesStatistics } from '../entities.ts';
import { getIssueCounts, listIssuesOfMilestone, listIssuesPage, TOO_MANY_ASSIGNEES } from './list-page.ts';
import { ISSUES_KEYSET } from './orders.ts';
import { issueFilterParams, issueFilterRules, issueListParams } from './parameters.ts';

/** Lists and statistics of issues. */

export const listIssues = endpoint({
  get: '/issues',
  summary: 'List issues of all projects',
  access: scopeAccess(),
  params: { scope: optional(scopeType, 'created_by_me'), ...issueListParams, non_archived: optional(boolean, true) },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: page(IssueInList),
  read: (db, { caller, params, page, base }) =>
    listIssuesPage(
      db,
      { caller, tier: base.tier },
      toAllProjectsParent(params.non_archived),
      { ...params, ...toScopeFilter(caller, params) },
      page,
    ),
});

export const listGroupIssues = endpoint({
  get: '/groups/:id/issues',
  summary: 'List the issues of a group',
  access: inGroupAllowingAnonymous('read_group'),
  params: { scope: optional(scopeType, 'all'), ...issueListParams, non_archived: optional(boolean, true) },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: page(IssueInList),
  read: (db, { group, caller, params, page, base }) =>
    listIssuesPage(
      db,
      { caller, tier: base.tier },
      { group, nonArchived: params.non_archived },
      { ...params, ...toScopeFilter(caller, params) },
      page,
    ),
});

export const listProjectIssues = endpoint({
  get: '/projects/:id/issues',
  summary: 'List the issues of a project',
  access: inProjectAllowingAnonymous('read_project'),
  params: { scope: optional(scopeType, 'all'), ...issueListParams },
  rules: issueFilterRules,
  keyset: ISSUES_KEYSET,
  errors: TOO_MANY_ASSIGNEES,
  response: page(IssueInList),
  read: (db, { project, caller, params, page, base }) =>
    listIssuesPage(db, { caller, tier: base.tier }, { project }, { ...params, ...toScopeFilter(caller, params) }, page),
});

export const getIssuesStatistics = endpoint({
  get: '/issues_statistics',
  summary: 'Get issue statistics of all projects',
  access: scopeAccess(),
  params: { scope: optional(scopeType, 'created_by_me'), ...issueFilterParams },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: ok(IssuesStatistics),
  read: (db, { caller, params, base }) =>
    getIssueCounts(db, { caller, tier: base.tier }, toAllProjectsParent(true), {
      ...params,
      ...toScopeFilter(caller, params),
    }),
});

export const getGroupIssuesStatistics = endpoint({
  get: '/groups/:id/issues_statistics',
  summary: 'Get issue statistics of a group',
  access: inGroupAllowingAnonymous('read_group'),
  params: { scope: optional(scopeType, 'all'), ...issueFilterParams },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: ok(IssuesStatistics),
  read: (db, { group, caller, params, base }) =>
    getIssueCounts(
      db,
      { caller, tier: base.tier },
      { group, nonArchived: true },
      { ...params, ...toScopeFilter(caller, params) },
    ),
});

export const getProjectIssuesStatistics = endpoint({
  get: '/projects/:id/issues_statistics',
  summary: 'Get issue statistics of a project',
  access: inProjectAllowingAnonymous('read_project'),
  params: { scope: optional(scopeType, 'all'), ...issueFilterParams },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: ok(IssuesStatistics),
  read: (db, { project, caller, params, base }) =>
    getIssueCounts(db, { caller, tier: base.tier }, { project }, { ...params, ...toScopeFilter(caller, params) }),
});

export const [listGroupMilestoneIssues, listProjectMilestoneIssues] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id/issues`,
    summary: 'List the issues of a milestone',
    access: parent.accessWith(READ_MILESTONES).resource(milestoneResource),
    response: page(IssueInList),
    read: (db, { parent: milestoneParent, caller, milestone, page }) =>
      listIssuesOfMilestone(db, caller, milestoneParent, milestone, page),
  }),
);
