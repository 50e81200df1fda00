import { optional, required } from '#http/parameters/declarations.ts';
import { longDescription, refName, string, title } from '#http/parameters/texts.ts';
import { boolean, commaArray, integer, oneOf } from '#http/parameters/types.ts';

/** What merge requests are made with and changed to (contract/planning.md §3.8). */

const attributes = {
  description: optional(longDescription),
  assignee_id: optional(integer),
  assignee_ids: optional(commaArray(integer)),
  reviewer_ids: optional(commaArray(integer)),
  labels: optional(commaArray(string)),
  milestone_id: optional(integer),
  remove_source_branch: optional(boolean),
  squash: optional(boolean),
};

export const newMergeRequestParams = {
  title: required(title),
  source_branch: required(refName),
  target_branch: required(refName),
  target_project_id: optional(integer),
  ...attributes,
};

export const mergeRequestChangeParams = {
  title: optional(title),
  target_branch: optional(refName),
  ...attributes,
  state_event: optional(oneOf('close', 'reopen')),
  discussion_locked: optional(boolean),
  add_labels: optional(commaArray(string)),
  remove_labels: optional(commaArray(string)),
};
