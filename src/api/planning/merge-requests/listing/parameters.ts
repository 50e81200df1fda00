import {
  idOrKeyword,
  mergeRequestScopeType,
  negatableFilterParams,
  searchAndTimeParams,
} from '#api/planning/issuables/index.ts';
import { mutuallyExclusive, object, optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, commaSeparated, dateTime, integer, oneOf } from '#http/parameters/types.ts';

/** Filter and sort parameters of lists of merge requests (contract/planning.md §3.8). */

/** Maximum number of users in a filter by approvals. */
const MAX_APPROVERS = 5;

const negatableParams = {
  ...negatableFilterParams,
  reviewer_id: optional(idOrKeyword),
  reviewer_username: optional(absentIfBlank(string)),
};

/** Each pair names the same person or object. */
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
  /** The name that glab uses for `draft`. */
  wip: optional(oneOf('yes', 'no')),
  ...searchAndTimeParams,
  not: optional(object(negatableParams, alternatives)),
  deployed_before: optional(dateTime),
  deployed_after: optional(dateTime),
  environment: optional(string),
  approved: optional(oneOf('yes', 'no')),
  approved_by_ids: optional(commaSeparated(idOrKeyword, MAX_APPROVERS)),
  approved_by_usernames: optional(commaSeparated(string, MAX_APPROVERS)),
  approver_ids: optional(commaSeparated(idOrKeyword, MAX_APPROVERS)),
  merge_user_id: optional(integer),
  merge_user_username: optional(absentIfBlank(string)),
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
  view: optional(oneOf('simple')),
  with_labels_details: optional(boolean, false),
  order_by: optional(oneOf(...ORDERS), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

/** Parameters of the list of a project's merge requests, which other modules use with additional conditions. */
export const projectMergeRequestParams = { scope: optional(mergeRequestScopeType, 'all'), ...mergeRequestListParams };
