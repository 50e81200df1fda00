import {
  idOrKeyword,
  mergeRequestScopeType,
  negatableFilterParams,
  searchAndTimeParams,
} from '#api/planning/issuables/index.ts';
import { describe, mutuallyExclusive, object, optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, commaSeparated, dateTime, integer, oneOf } from '#http/parameters/types.ts';

// Filter and sort parameters of lists of merge requests (contract/planning.md §3.8).

/** Maximum number of users in a filter by approvals. */
const MAX_APPROVERS = 5;

const negatableParams = {
  ...negatableFilterParams,
  reviewer_id: describe(optional(idOrKeyword), 'User id, `None` for merge requests without reviewers, or `Any`.'),
  reviewer_username: optional(absentIfBlank(string)),
};

/** Each pair identifies a user in two ways, so that only one can be given. */
const alternatives = [
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('reviewer_id', 'reviewer_username'),
];

export const mergeRequestFilterParams = {
  state: optional(oneOf('opened', 'closed', 'merged', 'locked', 'all'), 'all'),
  ...negatableParams,
  source_project_id: optional(integer),
  source_branch: optional(absentIfBlank(refName)),
  target_branch: optional(absentIfBlank(refName)),
  draft: optional(boolean),
  /** glab, the command line client, sends this name. */
  wip: describe(optional(oneOf('yes', 'no')), 'Deprecated: use `draft`.'),
  ...searchAndTimeParams,
  not: describe(
    optional(object(negatableParams, alternatives)),
    'Excludes the merge requests that match these filters.',
  ),
  deployed_before: describe(optional(dateTime), 'Time before which a deployment with the merge request finished.'),
  deployed_after: describe(optional(dateTime), 'Time after which a deployment with the merge request finished.'),
  environment: describe(
    optional(string),
    'Name of an environment; one deployment to it must match `deployed_before` and `deployed_after` too.',
  ),
  approved: describe(optional(oneOf('yes', 'no')), 'Whether at least one user has approved.'),
  approved_by_ids: describe(
    optional(commaSeparated(idOrKeyword, MAX_APPROVERS)),
    'Ids of at most 5 users who have all approved, or `None` or `Any`.',
  ),
  approved_by_usernames: describe(
    optional(commaSeparated(string, MAX_APPROVERS)),
    'Usernames of at most 5 users who have all approved, or `None` or `Any`.',
  ),
  approver_ids: describe(
    optional(commaSeparated(idOrKeyword, MAX_APPROVERS)),
    'Only `None` matches, because approval rules are not supported.',
  ),
  merge_user_id: describe(optional(integer), 'Id of the user who merged.'),
  merge_user_username: describe(optional(absentIfBlank(string)), 'Username of the user who merged.'),
};

export const mergeRequestFilterRules = [
  ...alternatives,
  mutuallyExclusive('merge_user_id', 'merge_user_username'),
  mutuallyExclusive('approved_by_ids', 'approved_by_usernames'),
];

const ORDERS = [
  'created_at',
  'updated_at',
  'title',
  'merged_at',
  'priority',
  'label_priority',
  'milestone_due',
  'popularity',
] as const;
export type MergeRequestOrder = (typeof ORDERS)[number];

export const mergeRequestListParams = {
  ...mergeRequestFilterParams,
  view: describe(optional(oneOf('simple')), '`simple` returns only ids, title, description, state, times and URL.'),
  with_labels_details: describe(optional(boolean, false), 'Returns labels as objects instead of titles.'),
  order_by: optional(oneOf(...ORDERS), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

/** Parameters of the list of a project's merge requests, which other modules use with additional conditions. */
export const projectMergeRequestParams = { scope: optional(mergeRequestScopeType, 'all'), ...mergeRequestListParams };
