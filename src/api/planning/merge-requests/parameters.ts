import { optional, required } from '#http/parameters/declarations.ts';
import { longDescription, refName, shortText, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, dateTime, integer, oneOf } from '#http/parameters/types.ts';

/** Parameters to create and update merge requests (contract/planning.md §3.8). */

const attributes = {
  description: optional(longDescription),
  assignee_id: optional(integer),
  assignee_ids: optional(commaSeparated(integer)),
  reviewer_ids: optional(commaSeparated(integer)),
  labels: optional(commaSeparated(string)),
  milestone_id: optional(integer),
  remove_source_branch: optional(boolean),
  squash: optional(boolean),
  merge_after: optional(dateTime),
};

/** Labels that are added to and removed from `labels` or, without `labels`, the current labels. */
const labelChanges = {
  add_labels: optional(commaSeparated(string)),
  remove_labels: optional(commaSeparated(string)),
};

export const createMergeRequestParams = {
  title: required(shortText),
  source_branch: required(refName),
  target_branch: required(refName),
  target_project_id: optional(integer),
  ...attributes,
  ...labelChanges,
};

export const updateMergeRequestParams = {
  title: optional(shortText),
  target_branch: optional(refName),
  ...attributes,
  state_event: optional(oneOf('close', 'reopen')),
  discussion_locked: optional(boolean),
  ...labelChanges,
};
