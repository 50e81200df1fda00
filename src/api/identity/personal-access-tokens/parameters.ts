import type { Scope } from '#authentication/tokens/access-tokens.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, searchExpression, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, date, dateTime, oneOf } from '#http/parameters/types.ts';

/** Returns the parameters of a new token, which may have these scopes. */
export const createTokenParams = (scopes: readonly Scope[]) => ({
  name: required(domainValidatedText(255)),
  description: optional(longText),
  scopes: required(commaSeparated(oneOf(...scopes))),
  expires_at: optional(date),
});

/** Filters and order of token lists. */
export const tokenFilters = {
  revoked: optional(boolean),
  state: optional(oneOf('active', 'inactive')),
  created_before: optional(dateTime),
  created_after: optional(dateTime),
  last_used_before: optional(dateTime),
  last_used_after: optional(dateTime),
  expires_before: optional(date),
  expires_after: optional(date),
  search: optional(searchExpression),
  sort: optional(string),
};
