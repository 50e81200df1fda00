import {
  describe,
  mutuallyExclusive,
  object,
  onTiers,
  optional,
  type Parameter,
} from '#http/parameters/declarations.ts';
import { longDescription, searchExpression, shortText, string } from '#http/parameters/texts.ts';
import {
  absentIfBlank,
  boolean,
  commaSeparated,
  date,
  dateTime,
  integer,
  notBlank,
  oneOf,
} from '#http/parameters/types.ts';

// Parameters to create, update and list epics (contract/planning.md §3.9).

const parentParam: Parameter<number, 'optional'> = describe(
  onTiers(optional(integer), 'ultimate'),
  'Global ID of the parent epic; null removes it. Ignored on lower tiers than ultimate.',
);

const IS_FIXED_DESCRIPTION =
  'Whether the fixed dates apply, and not those of the milestones. Both dates share this flag; a fixed date sets it.';
const OWNERS_ONLY_DESCRIPTION = 'Only Owners of the group and administrators may set it; ignored for others.';

export const createEpicParams = {
  description: optional(longDescription),
  confidential: optional(boolean),
  labels: describe(optional(commaSeparated(string)), 'Titles of labels. They replace the present ones.'),
  color: describe(optional(string), '`#RGB`, `#RRGGBB` or the name of a CSS color.'),
  parent_id: parentParam,
  start_date_fixed: describe(optional(date), 'Sets `start_date_is_fixed` too.'),
  start_date_is_fixed: describe(optional(boolean), IS_FIXED_DESCRIPTION),
  due_date_fixed: describe(optional(date), 'Sets `due_date_is_fixed` too.'),
  due_date_is_fixed: describe(optional(boolean), IS_FIXED_DESCRIPTION),
  start_date: describe(optional(date), 'Deprecated: use `start_date_fixed`.'),
  end_date: describe(optional(date), 'Deprecated: use `due_date_fixed`.'),
  created_at: describe(optional(dateTime), OWNERS_ONLY_DESCRIPTION),
};

export const updateEpicParams = {
  title: optional(shortText),
  ...createEpicParams,
  add_labels: describe(optional(commaSeparated(string)), 'Titles of labels that are added.'),
  remove_labels: describe(optional(commaSeparated(string)), 'Titles of labels that are removed.'),
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: describe(optional(notBlank(dateTime)), OWNERS_ONLY_DESCRIPTION),
};

/** Filters that also exist below `not`, where they exclude the matches. */
const negatableParams = {
  labels: describe(optional(commaSeparated(string)), 'Titles of labels that all must match; or `None` or `Any`.'),
  author_id: optional(integer),
  author_username: optional(absentIfBlank(string)),
  my_reaction_emoji: describe(
    optional(absentIfBlank(string)),
    'Name of an emoji that the caller has added. `None` or `Any`: without or with one.',
  ),
};

/** Filters of the list of epics. */
const epicFilterParams = {
  state: optional(oneOf('opened', 'closed', 'all'), 'all'),
  ...negatableParams,
  search: describe(optional(searchExpression), 'Words that must all occur in the title, or all in the description.'),
  confidential: optional(boolean),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
  not: describe(optional(object(negatableParams)), 'Excludes the epics that match these filters.'),
};

/** Filters, scope and sort order of the list of epics. */
export const epicListParams = {
  ...epicFilterParams,
  include_ancestor_groups: describe(optional(boolean, false), 'Also lists the epics of the ancestor groups.'),
  include_descendant_groups: describe(optional(boolean, true), 'Set to false to leave out epics of the subgroups.'),
  with_labels_details: optional(boolean, false),
  order_by: optional(oneOf('created_at', 'updated_at', 'title'), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

export const epicFilterRules = [mutuallyExclusive('author_id', 'author_username')];
