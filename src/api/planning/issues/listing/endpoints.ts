import { everywhere, me, scoped, scopeType } from '#api/planning/issuables/index.ts';
import { ownMilestone, SEEING_MILESTONES } from '#api/planning/milestones/index.ts';
import { forBoth } from '#http/access/parents.ts';
import { inPublicGroup, inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { IssueInList, IssuesStatistics } from '../entities.ts';
import { countedIssues, issuesOfMilestone, listedIssues, TOO_MANY_ASSIGNEES } from './list-page.ts';
import { issueFilterParams, issueFilterRules, issueListParams } from './parameters.ts';

/** Lists of issues, and how many they would hold. */

export const listIssues = endpoint({
  get: '/issues',
  summary: 'List issues of all projects: one’s own, those assigned to one, or all that one may read',
  access: me(),
  params: { scope: optional(scopeType, 'created_by_me'), ...issueListParams, non_archived: optional(boolean, true) },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: page(IssueInList),
  read: (db, { caller, params, page, base }) =>
    listedIssues(
      db,
      { caller, tier: base.tier },
      everywhere(params.non_archived),
      { ...params, ...scoped(caller, params) },
      page,
    ),
});

export const listGroupIssues = endpoint({
  get: '/groups/:id/issues',
  summary: 'List the issues of a group’s projects and of those in its subgroups',
  access: inPublicGroup('read_group'),
  params: { ...issueListParams, non_archived: optional(boolean, true) },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: page(IssueInList),
  read: (db, { group, caller, params, page, base }) =>
    listedIssues(db, { caller, tier: base.tier }, { group, nonArchived: params.non_archived }, params, page),
});

export const listProjectIssues = endpoint({
  get: '/projects/:id/issues',
  summary: 'List the issues of a project',
  access: inPublicProject('read_project'),
  params: issueListParams,
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: page(IssueInList),
  read: (db, { project, caller, params, page, base }) =>
    listedIssues(db, { caller, tier: base.tier }, { project }, params, page),
});

export const readIssuesStatistics = endpoint({
  get: '/issues_statistics',
  summary: 'How many issues of all projects are open and closed',
  access: me(),
  params: { scope: optional(scopeType, 'created_by_me'), ...issueFilterParams },
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: ok(IssuesStatistics),
  read: (db, { caller, params, base }) =>
    countedIssues(db, { caller, tier: base.tier }, everywhere(true), { ...params, ...scoped(caller, params) }),
});

export const readGroupIssuesStatistics = endpoint({
  get: '/groups/:id/issues_statistics',
  summary: 'How many issues of a group’s projects are open and closed',
  access: inPublicGroup('read_group'),
  params: issueFilterParams,
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: ok(IssuesStatistics),
  read: (db, { group, caller, params, base }) =>
    countedIssues(db, { caller, tier: base.tier }, { group, nonArchived: true }, params),
});

export const readProjectIssuesStatistics = endpoint({
  get: '/projects/:id/issues_statistics',
  summary: 'How many issues of a project are open and closed',
  access: inPublicProject('read_project'),
  params: issueFilterParams,
  rules: issueFilterRules,
  errors: TOO_MANY_ASSIGNEES,
  response: ok(IssuesStatistics),
  read: (db, { project, caller, params, base }) => countedIssues(db, { caller, tier: base.tier }, { project }, params),
});

export const [listGroupMilestoneIssues, listProjectMilestoneIssues] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id/issues`,
    summary: 'List the issues of a milestone, by the priorities of their labels',
    access: parent.may(SEEING_MILESTONES).resource(ownMilestone),
    response: page(IssueInList),
    read: (db, { parent: place, caller, milestone, page }) => issuesOfMilestone(db, caller, place, milestone, page),
  }),
);
