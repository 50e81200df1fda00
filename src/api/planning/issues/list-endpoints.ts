import { type AccessCall, open } from '../../../http/access/access.ts';
import { forBoth } from '../../../http/access/parents.ts';
import { inPublicGroup, inPublicProject } from '../../../http/access/project-access.ts';
import { pageOf, shown } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional } from '../../../http/parameters/declarations.ts';
import { boolean } from '../../../http/parameters/types.ts';
import { unauthorized } from '../../../http/refusals/refusal.ts';
import type { Caller } from '../../../identity/caller.ts';
import { ownMilestone, SEEING_MILESTONES } from '../milestones/index.ts';
import { IssueInList, IssuesStatistics } from './entities.ts';
import { issueFilterParams, issueFilterRules, issueListParams, scopeParams } from './list-parameters.ts';
import { countedIssues, issuesOfMilestone, listedIssues, TOO_MANY_ASSIGNEES } from './listed.ts';

/** Lists of issues, and how many they would hold. */

/** Somebody has to be `me`: of all issues even nobody may ask. */
const me = () => ({
  ...open().and(({ caller, params }) => {
    if (caller.user === null && params.scope !== 'all') throw unauthorized();
  }, 'open (scope=all), user'),
  // Who is told to sign in learns nothing of other parameters.
  admit({ caller, request }: AccessCall) {
    if (caller.user === null && new URLSearchParams(request.query).get('scope') !== 'all') throw unauthorized();
  },
});

const everywhere = (nonArchived: boolean | null) => ({ group: null, nonArchived: nonArchived !== false }) as const;

export const listIssues = endpoint({
  get: '/issues',
  summary: 'List issues of all projects: one’s own, those assigned to one, or all that one may read',
  access: me(),
  params: { ...scopeParams, ...issueListParams, non_archived: optional(boolean, true) },
  rules: issueFilterRules,
  refuses: TOO_MANY_ASSIGNEES,
  answer: pageOf(IssueInList),
  read: (db, { caller, params, page, base }) =>
    listedIssues(
      db,
      { caller, tier: base.tier },
      everywhere(params.non_archived),
      { ...params, ...scoped(caller, params) },
      page,
    ),
});

type Scope = { readonly scope: 'created_by_me' | 'assigned_to_me' | 'all' };

function scoped({ user }: Caller, { scope }: Scope) {
  if (scope === 'all') return {};
  return scope === 'assigned_to_me' ? { toUser: user?.id ?? 0 } : { byUser: user?.id ?? 0 };
}

export const listGroupIssues = endpoint({
  get: '/groups/:id/issues',
  summary: 'List the issues of a group’s projects and of those in its subgroups',
  access: inPublicGroup('read_group'),
  params: { ...issueListParams, non_archived: optional(boolean, true) },
  rules: issueFilterRules,
  refuses: TOO_MANY_ASSIGNEES,
  answer: pageOf(IssueInList),
  read: (db, { group, caller, params, page, base }) =>
    listedIssues(db, { caller, tier: base.tier }, { group, nonArchived: params.non_archived }, params, page),
});

export const listProjectIssues = endpoint({
  get: '/projects/:id/issues',
  summary: 'List the issues of a project',
  access: inPublicProject('read_project'),
  params: issueListParams,
  rules: issueFilterRules,
  refuses: TOO_MANY_ASSIGNEES,
  answer: pageOf(IssueInList),
  read: (db, { project, caller, params, page, base }) =>
    listedIssues(db, { caller, tier: base.tier }, { project }, params, page),
});

export const readIssuesStatistics = endpoint({
  get: '/issues_statistics',
  summary: 'How many issues of all projects are open and closed',
  access: me(),
  params: { ...scopeParams, ...issueFilterParams },
  rules: issueFilterRules,
  refuses: TOO_MANY_ASSIGNEES,
  answer: shown(IssuesStatistics),
  read: (db, { caller, params, base }) =>
    countedIssues(db, { caller, tier: base.tier }, everywhere(true), { ...params, ...scoped(caller, params) }),
});

export const readGroupIssuesStatistics = endpoint({
  get: '/groups/:id/issues_statistics',
  summary: 'How many issues of a group’s projects are open and closed',
  access: inPublicGroup('read_group'),
  params: issueFilterParams,
  rules: issueFilterRules,
  refuses: TOO_MANY_ASSIGNEES,
  answer: shown(IssuesStatistics),
  read: (db, { group, caller, params, base }) =>
    countedIssues(db, { caller, tier: base.tier }, { group, nonArchived: true }, params),
});

export const readProjectIssuesStatistics = endpoint({
  get: '/projects/:id/issues_statistics',
  summary: 'How many issues of a project are open and closed',
  access: inPublicProject('read_project'),
  params: issueFilterParams,
  rules: issueFilterRules,
  refuses: TOO_MANY_ASSIGNEES,
  answer: shown(IssuesStatistics),
  read: (db, { project, caller, params, base }) => countedIssues(db, { caller, tier: base.tier }, { project }, params),
});

export const [listGroupMilestoneIssues, listProjectMilestoneIssues] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/milestones/:milestone_id/issues`,
    summary: 'List the issues of a milestone, by the priorities of their labels',
    access: parent.may(SEEING_MILESTONES).record(ownMilestone),
    answer: pageOf(IssueInList),
    read: (db, { parent: place, caller, milestone, page }) => issuesOfMilestone(db, caller, place, milestone, page),
  }),
);
