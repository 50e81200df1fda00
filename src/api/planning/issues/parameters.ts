import { MAX_IID } from '#domain/iids.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
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

// Parameters to create and update issues (contract/planning.md §3.6).

const ISSUE_TYPES = ['issue', 'incident', 'task', 'test_case'] as const;

const OWNERS_ONLY_DESCRIPTION = 'Only Owners of the project and administrators may set it; ignored for others.';

/** Parameters of both endpoints. */
const attributes = {
  description: optional(longDescription),
  confidential: optional(boolean),
  assignee_ids: describe(
    optional(commaSeparated(integer)),
    'IDs of users; `0` or an empty list removes all. On the free tier only the first one is assigned.',
  ),
  assignee_id: describe(optional(integer), 'ID of the only assignee; 0 removes all.'),
  milestone_id: describe(optional(integer), 'Global ID of a milestone; 0 or null removes it.'),
  labels: describe(optional(commaSeparated(string)), 'Titles of labels. They replace the present ones.'),
  due_date: optional(date),
  weight: describe(optional(integer), 'At least 0. Ignored on the free tier.'),
  epic_id: describe(
    optional(integer),
    "Global ID of an epic of the project's ancestor groups; 0 or null removes it. Not available on the free tier.",
  ),
  epic_iid: describe(optional(integer), "The `iid` of an epic of the project's direct group; 0 or null removes it."),
  iteration_id: describe(
    optional(integer),
    'Global ID of an iteration; 0 or null removes it. Ignored on the free tier.',
  ),
  discussion_locked: describe(optional(boolean), 'Whether only members may comment.'),
  issue_type: optional(oneOf(...ISSUE_TYPES)),
  created_at: describe(optional(dateTime), OWNERS_ONLY_DESCRIPTION),
};

/** Type of an iid that the caller chooses. Iids above `MAX_IID` stay available for generated ones. */
const chosenIid = integerIn({ min: -MAX_IID, max: MAX_IID });

/** Labels that are added to and removed from `labels` or, without `labels`, the current labels. */
const labelChanges = {
  add_labels: describe(optional(commaSeparated(string)), 'Titles of labels that are added.'),
  remove_labels: describe(optional(commaSeparated(string)), 'Titles of labels that are removed.'),
};

export const createIssueParams = {
  ...attributes,
  ...labelChanges,
  iid: describe(optional(chosenIid), `${OWNERS_ONLY_DESCRIPTION} An \`iid\` in use answers 409.`),
  merge_request_to_resolve_discussions_of: describe(
    optional(integer),
    'The `iid` of a merge request: the issue continues its open threads, which are resolved and by default quoted.',
  ),
  discussion_to_resolve: describe(
    optional(shortText),
    'ID of the only thread that is continued. Requires `merge_request_to_resolve_discussions_of`.',
  ),
};

export const updateIssueParams = {
  title: optional(shortText),
  ...attributes,
  ...labelChanges,
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: describe(optional(notBlank(dateTime)), OWNERS_ONLY_DESCRIPTION),
};
