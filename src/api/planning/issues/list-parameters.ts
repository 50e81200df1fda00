import { Type } from 'typebox';
import { exclusive, hash, optional } from '../../../http/parameters/declarations.ts';
import type { ParameterType } from '../../../http/parameters/parameter-type.ts';
import { expression, text } from '../../../http/parameters/texts.ts';
import { boolean, commaArray, dateTime, integer, oneOf } from '../../../http/parameters/types.ts';
import { DUE_DATES, type IdOrWord, type Word } from '../issuables/index.ts';

/** What lists of issues are narrowed to and ordered by (contract/planning.md §3.6). */

/** A number, or one of these words in any case. */
function integerOr<const W extends string>(...words: readonly W[]): ParameterType<number | W> {
  return {
    schema: Type.Union([Type.Integer(), Type.Enum(words as unknown as string[])]),
    read(raw, name, problems) {
      const word = typeof raw === 'string' ? words.find((one) => one.toLowerCase() === raw.toLowerCase()) : undefined;
      return word ?? integer.read(raw, name, problems);
    },
  };
}

const idOrWord: ParameterType<IdOrWord> = integerOr<Word>('None', 'Any');
const milestoneWord = oneOf('None', 'Any', 'Upcoming', 'Started');

const whom = {
  author_id: optional(integer),
  author_username: optional(text),
  assignee_id: optional(idOrWord),
  assignee_username: optional(commaArray(text)),
};

const which = {
  labels: optional(commaArray(text)),
  milestone: optional(text),
  milestone_id: optional(milestoneWord),
  iids: optional(commaArray(integer)),
  ...whom,
  weight: optional(idOrWord),
  iteration_id: optional(integerOr('None', 'Any', 'Current')),
  iteration_title: optional(text),
};

/** The filters that all lists of issues and their statistics take. */
export const issueFilterParams = {
  ...which,
  search: optional(expression),
  in: optional(commaArray(oneOf('title', 'description'))),
  confidential: optional(boolean),
  epic_id: optional(idOrWord),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
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

/** Of lists that are about no one project or group. */
export const scopeParams = {
  scope: optional(oneOf('created_by_me', 'assigned_to_me', 'all'), 'created_by_me'),
};
