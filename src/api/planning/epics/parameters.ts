import { exclusive, hash, onTiers, optional, type Parameter } from '#http/parameters/declarations.ts';
import { expression, longDescription, string, title } from '#http/parameters/texts.ts';
import {
  absentIfBlank,
  boolean,
  commaArray,
  date,
  dateTime,
  integer,
  notBlank,
  oneOf,
} from '#http/parameters/types.ts';

/** What epics are made with, changed to and narrowed to (contract/planning.md §3.9). */

/** Epics below epics are an offer of tier ultimate. */
const parent: Parameter<number, 'optional'> = onTiers(optional(integer), 'ultimate');

export const newEpicParams = {
  description: optional(longDescription),
  confidential: optional(boolean),
  labels: optional(commaArray(string)),
  color: optional(string),
  parent_id: parent,
  start_date_fixed: optional(date),
  start_date_is_fixed: optional(boolean),
  due_date_fixed: optional(date),
  due_date_is_fixed: optional(boolean),
  // Their old names.
  start_date: optional(date),
  end_date: optional(date),
  created_at: optional(dateTime),
};

export const epicChangeParams = {
  title: optional(title),
  ...newEpicParams,
  add_labels: optional(commaArray(string)),
  remove_labels: optional(commaArray(string)),
  state_event: optional(oneOf('close', 'reopen')),
  updated_at: optional(notBlank(dateTime)),
};

const which = {
  labels: optional(commaArray(string)),
  author_id: optional(integer),
  author_username: optional(absentIfBlank(string)),
};

export const epicFilterParams = {
  state: optional(oneOf('opened', 'closed', 'all'), 'all'),
  ...which,
  search: optional(expression),
  confidential: optional(boolean),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
  not: optional(hash(which)),
};

export const epicListParams = {
  ...epicFilterParams,
  include_ancestor_groups: optional(boolean, false),
  include_descendant_groups: optional(boolean, true),
  with_labels_details: optional(boolean, false),
  order_by: optional(oneOf('created_at', 'updated_at', 'title'), 'created_at'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};

export const epicFilterRules = [exclusive('author_id', 'author_username')];
