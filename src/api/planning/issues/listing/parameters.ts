import {
  DUE_DATES,
  idOrKeyword,
  integerOrKeyword,
  negatableFilterParams,
  searchAndTimeParams,
} from '#api/planning/issuables/index.ts';
import { mutuallyExclusive, object, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, integer, oneOf } from '#http/parameters/types.ts';

/** Filter and sort parameters of issue lists (contract/planning.md §3.6). */

const negatableParams = {
  ...negatableFilterParams,
  milestone_id: optional(oneOf('None', 'Any', 'Upcoming', 'Started')),
  weight: optional(idOrKeyword),
  iteration_id: optional(integerOrKeyword('None', 'Any', 'Current')),
  iteration_title: optional(absentIfBlank(string)),
};

/** Filters of all issue lists and their statistics. */
export const issueFilterParams = {
  ...negatableParams,
  confidential: optional(boolean),
  epic_id: optional(idOrKeyword),
  ...searchAndTimeParams,
  due_date: optional(absentIfBlank(oneOf(...DUE_DATES))),
  // Issues of the last two types do not exist.
  issue_type: optional(oneOf('issue', 'incident', 'task', 'test_case', 'requirement', 'ticket')),
  /** Issues have no health status: only `none` matches. */
  health_status: optional(oneOf('on_track', 'needs_attention', 'at_risk', 'none', 'any')),
  not: optional(object(negatableParams)),
};

export const issueFilterRules = [
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('iteration_id', 'iteration_title'),
  mutuallyExclusive('milestone', 'milestone_id'),
];

/** Values of the parameter `order_by`. */
export const ISSUE_ORDERS = [
  'created_at',
  'updated_at',
  'due_date',
  'title',
  'weight',
  'relative_position',
  'priority',
  'milestone_due',
  'popularity',
  'label_priority',
] as const;
export type IssueOrder = (typeof ISSUE_ORDERS)[number];

/** Filters, format and sort order of issue lists. */
export const issueListParams = {
  state: optional(oneOf('opened', 'closed', 'all'), 'all'),
  ...issueFilterParams,
  closed_by_id: optional(integer),
  with_labels_details: optional(boolean, false),
  order_by: optional(oneOf(...ISSUE_ORDERS), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
