import { MAX_IID } from '#domain/iids.ts';
import { optional } from '#http/parameters/declarations.ts';
import { longDescription, shortText, string } from '#http/parameters/texts.ts';
import {
  boolean,
  commaSeparated,
  date,
  dateTime,
  integer,
  integerIn,
  notBlank,
  oneOf,
} from '#http/parameters/types.ts';

/** Parameters to create and update issues (contract/planning.md §3.6). */

const ISSUE_TYPES = ['issue', 'incident', 'task', 'test_case'] as const;

/** Parameters of both endpoints. */
const attributes = {
  description: optional(longDescription),
  confidential: optional(boolean),
  assignee_ids: optional(commaSeparated(integer)),
  assignee_id: optional(integer),
  milestone_id: optional(integer),
  labels: optional(commaSeparated(string)),
  due_date: optional(date),
  weight: optional(integer),
  epic_id: optional(integer),
  epic_iid: optional(integer),
  iteration_id: optional(integer),
  discussion_locked: optional(boolean),
  issue_type: optional(oneOf(...ISSUE_TYPES)),
  created_at: optional(dateTime),
};

/** An iid chosen by the caller. Iids above `MAX_IID` stay available for generated ones. */
const iid = integerIn({ min: -MAX_IID, max: MAX_IID });

/** Labels that are added to and removed from `labels` or, without `labels`, the current labels. */
const labelChanges = {
  add_labels: optional(commaSeparated(string)),
  remove_labels: optional(commaSeparated(string)),
};

export const createIssueParams = {
  ...attributes,
  ...labelChanges,
  iid: optional(iid),
  merge_request_to_resolve_discussions_of: optional(integer),
  discussion_to_resolve: optional(shortText),
};

export const updateIssueParams = {
  title: optional(shortText),
  ...attributes,
  ...labelChanges,
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: optional(notBlank(dateTime)),
};
