import { DUE_DATES, idOrWord, integerOr, whichParams, wordsAndTimesParams } from '#api/planning/issuables/index.ts';
import { exclusive, hash, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, oneOf } from '#http/parameters/types.ts';

/** What lists of issues are narrowed to and ordered by (contract/planning.md §3.6). */

const which = {
  ...whichParams,
  milestone_id: optional(oneOf('None', 'Any', 'Upcoming', 'Started')),
  weight: optional(idOrWord),
  iteration_id: optional(integerOr('None', 'Any', 'Current')),
  iteration_title: optional(absentIfBlank(string)),
};

/** The filters that all lists of issues and their statistics take. */
export const issueFilterParams = {
  ...which,
  confidential: optional(boolean),
  epic_id: optional(idOrWord),
  ...wordsAndTimesParams,
  due_date: optional(oneOf(...DUE_DATES)),
  issue_type: optional(oneOf('issue', 'incident', 'task', 'test_case')),
  not: optional(hash(which)),
};

export const issueFilterRules = [
  exclusive('author_id', 'author_username'),
  exclusive('assignee_id', 'assignee_username'),
  exclusive('iteration_id', 'iteration_title'),
];

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

export const issueListParams = {
  state: optional(oneOf('opened', 'closed', 'all'), 'all'),
  ...issueFilterParams,
  with_labels_details: optional(boolean, false),
  order_by: optional(oneOf(...ISSUE_ORDERS), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
