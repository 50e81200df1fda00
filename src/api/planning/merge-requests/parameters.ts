import { describe, optional, required } from '#http/parameters/declarations.ts';
import { longDescription, refName, shortText, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, dateTime, integer, oneOf } from '#http/parameters/types.ts';

// Parameters to create and update merge requests (contract/planning.md §3.8).

const attributes = {
  description: optional(longDescription),
  assignee_id: describe(optional(integer), 'Id of the only assignee; 0 or null removes all assignees.'),
  assignee_ids: describe(
    optional(commaSeparated(integer)),
    'Ids of all assignees; `0` removes them. On the free tier only the first one is set.',
  ),
  reviewer_ids: describe(optional(commaSeparated(integer)), 'Ids of all reviewers; null or `0` removes all reviewers.'),
  labels: describe(
    optional(commaSeparated(string)),
    'Titles of all labels; labels that do not exist are created if the caller may create labels.',
  ),
  milestone_id: describe(optional(integer), 'Global id of the milestone; 0 removes it.'),
  remove_source_branch: describe(optional(boolean), 'Whether the merge deletes the source branch.'),
  squash: describe(
    optional(boolean),
    'Whether the merge combines all commits into one; the setting `squash_option` of the project can override this.',
  ),
  merge_after: describe(optional(dateTime), 'The merge request cannot be merged before this time; null removes it.'),
};

const labelChanges = {
  add_labels: describe(
    optional(commaSeparated(string)),
    'Titles of labels that are added to `labels` or, if it is absent, to the current labels.',
  ),
  remove_labels: describe(
    optional(commaSeparated(string)),
    'Titles of labels that are removed from `labels` or, if it is absent, from the current labels.',
  ),
};

export const createMergeRequestParams = {
  title: required(shortText),
  source_branch: required(refName),
  target_branch: required(refName),
  target_project_id: describe(
    optional(integer),
    'Must be the id of this project, because merge requests between projects are not supported.',
  ),
  ...attributes,
  ...labelChanges,
};

export const updateMergeRequestParams = {
  title: optional(shortText),
  target_branch: optional(refName),
  ...attributes,
  state_event: optional(oneOf('close', 'reopen')),
  discussion_locked: describe(optional(boolean), 'Whether only members of the project can comment.'),
  ...labelChanges,
};
