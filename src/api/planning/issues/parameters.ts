import { LARGEST_IID } from '#domain/iids.ts';
import { optional } from '#http/parameters/declarations.ts';
import { longDescription, string, title } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, dateTime, integer, integerIn, notBlank, oneOf } from '#http/parameters/types.ts';

/** What issues are filed with and changed to (contract/planning.md §3.6). */

const ISSUE_TYPES = ['issue', 'incident', 'task', 'test_case'] as const;

/** What both take. */
const attributes = {
  description: optional(longDescription),
  confidential: optional(boolean),
  assignee_ids: optional(commaArray(integer)),
  assignee_id: optional(integer),
  milestone_id: optional(integer),
  labels: optional(commaArray(string)),
  due_date: optional(date),
  weight: optional(integer),
  epic_id: optional(integer),
  epic_iid: optional(integer),
  iteration_id: optional(integer),
  discussion_locked: optional(boolean),
  issue_type: optional(oneOf(...ISSUE_TYPES)),
  created_at: optional(dateTime),
};

/** A number that leaves room for all that follow it. */
const iid = integerIn({ least: -LARGEST_IID, most: LARGEST_IID });

export const newIssueParams = { ...attributes, iid: optional(iid) };

export const issueChangeParams = {
  title: optional(title),
  ...attributes,
  add_labels: optional(commaArray(string)),
  remove_labels: optional(commaArray(string)),
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: optional(notBlank(dateTime)),
};
