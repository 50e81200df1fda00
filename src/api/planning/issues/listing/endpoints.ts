import { scopeAccess, scopeType, toAllProjectsParent, toScopeFilter } from '#api/planning/issuables/index.ts';
import { milestoneResource, READ_MILESTONES } from '#api/planning/milestones/index.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { inGroupAllowingAnonymous, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { IssueInList, IssuesStatistics } from '../entities.ts';
import { getIssueCounts, listIssuesOfMilestone, listIssuesPage, TOO_MANY_ASSIGNEES } from './list-page.ts';
import { ISSUES_KEYSET } from './orders.ts';
import { issueFilterParams, issueFilterRules, issueListParams } from './parameters.ts';

// Lists and statistics of issues.

const SCOPE_DESCRIPTION =
  'Issues that the caller has created, that are assigned to the caller, or all that the caller may read.';
const ownScopeParam = describe(optional(scopeType, 'created_by_me'), SCOPE_DESCRIPTION);
const allScopeParam = describe(optional(scopeType, 'all'), SCOPE_DESCRIPTION);
const nonArchivedParam = describe(optional(boolean, true), 'Set to false to include the issues of archived projects.');

export const listIssues = endpoint({
  get: '/issues',
  summary: 'List issues of all projects',
  description:
    'Lists issues that the caller may read, by default open and closed ones that the caller has created, newest first. Without a login only `scope=all` is allowed.',
  access: scopeAccess(),
  params: { scope: ownScopeParam, ...issueListParams, non_archived: nonArchivedParam },
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
  description:
    'Lists the issues of all projects in the group and its subgroups that the caller may read, newest first by default.',
  access: inGroupAllowingAnonymous('read_group'),
  params: { scope: allScopeParam, ...issueListParams, non_archived: nonArchivedParam },
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
  description:
    'Lists the issues of the project that the caller may read, newest first by default. Confidential issues are listed for their authors, their assignees and callers with at least the Planner role. Keyset pagination is available for some orders.',
  access: inProjectAllowingAnonymous('read_project'),
  params: { scope: allScopeParam, ...issueListParams },
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
  description:
    "Counts the issues that match the filters, by state. By default these are the caller's own. The parameter `state` is ignored.",
  access: scopeAccess(),
  params: { scope: ownScopeParam, ...issueFilterParams },
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
  description:
    'Counts the issues in the group and its subgroups that match the filters and that the caller may read, by state. The parameter `state` is ignored.',
  access: inGroupAllowingAnonymous('read_group'),
  params: { scope: allScopeParam, ...issueFilterParams },
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
  description:
    'Counts the issues of the project that match the filters and that the caller may read, by state. The parameter `state` is ignored.',
  access: inProjectAllowingAnonymous('read_project'),
  params: { scope: allScopeParam, ...issueFilterParams },
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
    description:
      'Lists open and closed issues with this milestone that the caller may read, ordered by label priority, then newest first.',
    access: parent.accessWith(READ_MILESTONES).resource(milestoneResource),
    response: page(IssueInList),
    read: (db, { parent: milestoneParent, caller, milestone, page }) =>
      listIssuesOfMilestone(db, caller, milestoneParent, milestone, page),
  }),
);
