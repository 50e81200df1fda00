import type { Scope } from '#authentication/tokens/access-tokens.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { description, expression, ruledText, string } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, dateTime, oneOf } from '#http/parameters/types.ts';

/** What a new token is to be, with some of these scopes. */
export const orderOf = (scopes: readonly Scope[]) => ({
  name: required(ruledText(255)),
  description: optional(description),
  scopes: required(commaArray(oneOf(...scopes))),
  expires_at: optional(date),
});

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
  search: optional(expression),
  sort: optional(string),
};
