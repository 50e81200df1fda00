import { mutuallyExclusive, object, onTiers, optional, type Parameter } from '#http/parameters/declarations.ts';
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

/** Parameters to create, update and list epics (contract/planning.md §3.9). */

/** Child epics need the tier ultimate. */
const parent: Parameter<number, 'optional'> = onTiers(optional(integer), 'ultimate');

export const createEpicParams = {
  description: optional(longDescription),
  confidential: optional(boolean),
  labels: optional(commaSeparated(string)),
  color: optional(string),
  parent_id: parent,
  start_date_fixed: optional(date),
  start_date_is_fixed: optional(boolean),
  due_date_fixed: optional(date),
  due_date_is_fixed: optional(boolean),
  // Deprecated names.
  start_date: optional(date),
  end_date: optional(date),
  created_at: optional(dateTime),
};

export const updateEpicParams = {
  title: optional(shortText),
  ...createEpicParams,
  add_labels: optional(commaSeparated(string)),
  remove_labels: optional(commaSeparated(string)),
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: optional(notBlank(dateTime)),
};

const negatableParams = {
  labels: optional(commaSeparated(string)),
  author_id: optional(integer),
  author_username: optional(absentIfBlank(string)),
  my_reaction_emoji: optional(absentIfBlank(string)),
};

/** Filters of the list of epics. */
const epicFilterParams = {
  state: optional(oneOf('opened', 'closed', 'all'), 'all'),
  ...negatableParams,
  search: optional(searchExpression),
  confidential: optional(boolean),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
  not: optional(object(negatableParams)),
};

/** Filters, scope and sort order of the list of epics. */
export const epicListParams = {
  ...epicFilterParams,
  include_ancestor_groups: optional(boolean, false),
  include_descendant_groups: optional(boolean, true),
  with_labels_details: optional(boolean, false),
  order_by: optional(oneOf('created_at', 'updated_at', 'title'), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

export const epicFilterRules = [mutuallyExclusive('author_id', 'author_username')];
