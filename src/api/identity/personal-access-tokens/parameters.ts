import { optional } from '../../../http/parameters/declarations.ts';
import { boolean, date, dateTime, oneOf, text } from '../../../http/parameters/types.ts';

/** What lists of tokens are narrowed and ordered by. */
export const tokenFilters = {
  revoked: optional(boolean),
  state: optional(oneOf('active', 'inactive')),
  created_before: optional(dateTime),
  created_after: optional(dateTime),
  last_used_before: optional(dateTime),
  last_used_after: optional(dateTime),
  expires_before: optional(date),
  expires_after: optional(date),
  search: optional(text),
  sort: optional(text),
};
