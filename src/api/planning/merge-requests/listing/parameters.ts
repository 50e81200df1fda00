import { idOrKeyword, negatableFilterParams, searchAndTimeParams } from '#api/planning/issuables/index.ts';
import { mutuallyExclusive, optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, oneOf } from '#http/parameters/types.ts';

/** Filter and sort parameters of lists of merge requests (contract/planning.md §3.8). */

export const mergeRequestFilterParams = {
  state: optional(oneOf('opened', 'closed', 'merged', 'locked', 'all'), 'all'),
  ...negatableFilterParams,
  reviewer_id: optional(idOrKeyword),
  reviewer_username: optional(absentIfBlank(string)),
  source_branch: optional(absentIfBlank(refName)),
  target_branch: optional(absentIfBlank(refName)),
  draft: optional(boolean),
  /** The name that glab uses for `draft`. */
  wip: optional(oneOf('yes', 'no')),
  ...searchAndTimeParams,
};

export const mergeRequestFilterRules = [
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('reviewer_id', 'reviewer_username'),
];

const ORDERS = ['created_at', 'updated_at', 'title', 'merged_at'] as const;
export type MergeRequestOrder = (typeof ORDERS)[number];

export const mergeRequestListParams = {
  ...mergeRequestFilterParams,
  view: optional(oneOf('simple')),
  order_by: optional(oneOf(...ORDERS), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
