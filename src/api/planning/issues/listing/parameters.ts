import {
  DUE_DATES,
  idOrKeyword,
  integerOrKeyword,
  negatableFilterParams,
  searchAndTimeParams,
} from '#api/planning/issuables/index.ts';
import { describe, mutuallyExclusive, object, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, integer, oneOf } from '#http/parameters/types.ts';

// Filter and sort parameters of issue lists (contract/planning.md §3.6).

const negatableParams = {
  ...negatableFilterParams,
  milestone_id: describe(
    optional(oneOf('None', 'Any', 'Upcoming', 'Started')),
    'Not an ID: no milestone, any, or an active one that is due after today (`Upcoming`) or has begun (`Started`).',
  ),
  weight: describe(optional(idOrKeyword), 'A weight, `None` or `Any`. Ignored on the free tier.'),
  iteration_id: describe(
    optional(integerOrKeyword('None', 'Any', 'Current')),
    'Global ID of an iteration, `None`, `Any` or `Current`. Ignored on the free tier.',
  ),
  iteration_title: describe(optional(absentIfBlank(string)), 'Exact title of an iteration. Ignored on the free tier.'),
};

/** Filters of all issue lists and their statistics. */
export const issueFilterParams = {
  ...negatableParams,
  confidential: optional(boolean),
  epic_id: describe(optional(idOrKeyword), 'Global ID of an epic, `None` or `Any`. Ignored on the free tier.'),
  ...searchAndTimeParams,
  due_date: describe(
    optional(absentIfBlank(oneOf(...DUE_DATES))),
    '`0` matches issues without a due date, `any` those with one. Weeks begin on Monday.',
  ),
  issue_type: describe(
    optional(oneOf('issue', 'incident', 'task', 'test_case', 'requirement', 'ticket')),
    '`requirement` and `ticket` match nothing.',
  ),
  health_status: describe(
    optional(oneOf('on_track', 'needs_attention', 'at_risk', 'none', 'any')),
    'Issues have no health status: `none` matches all, the others nothing.',
  ),
  not: describe(optional(object(negatableParams)), 'Excludes the issues that match these filters.'),
};

export const issueFilterRules = [
  mutuallyExclusive('author_id', 'author_username'),
  mutuallyExclusive('assignee_id', 'assignee_username'),
  mutuallyExclusive('iteration_id', 'iteration_title'),
  mutuallyExclusive('milestone', 'milestone_id'),
];

/** Values of the parameter `order_by`. */
const ISSUE_ORDERS = [
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
  closed_by_id: describe(optional(integer), 'ID of the user who has closed the issues.'),
  with_labels_details: optional(boolean, false),
  order_by: describe(
    optional(oneOf(...ISSUE_ORDERS), 'created_at'),
    '`priority` is by due date of the milestone, then label priority. Issues without a value come last.',
  ),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
