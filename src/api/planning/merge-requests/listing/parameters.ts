import { idOrWord, whichParams, wordsAndTimesParams } from '#api/planning/issuables/index.ts';
import { exclusive, optional } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, oneOf } from '#http/parameters/types.ts';

/** What lists of merge requests are narrowed to and ordered by (contract/planning.md §3.8). */

export const filterParams = {
  state: optional(oneOf('opened', 'closed', 'merged', 'locked', 'all'), 'all'),
  ...whichParams,
  reviewer_id: optional(idOrWord),
  reviewer_username: optional(absentIfBlank(string)),
  source_branch: optional(absentIfBlank(refName)),
  target_branch: optional(absentIfBlank(refName)),
  draft: optional(boolean),
  /** What glab says for `draft`. */
  wip: optional(oneOf('yes', 'no')),
  ...wordsAndTimesParams,
};

export const filterRules = [
  exclusive('author_id', 'author_username'),
  exclusive('assignee_id', 'assignee_username'),
  exclusive('reviewer_id', 'reviewer_username'),
];

const ORDERS = ['created_at', 'updated_at', 'title', 'merged_at'] as const;
export type MergeRequestOrder = (typeof ORDERS)[number];

export const listParams = {
  ...filterParams,
  view: optional(oneOf('simple')),
  order_by: optional(oneOf(...ORDERS), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
