import { Type } from 'typebox';
import { optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { searchExpression, string } from '#http/parameters/texts.ts';
import { absentIfBlank, commaSeparated, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import type { IdOrKeyword } from './conditions.ts';
import type { FilterKeyword } from './row-conditions.ts';

/** Filter parameters that lists of issues and merge requests share (contract/planning.md §3.6, §3.8). */

/** An integer, or one of these keywords in any case. */
export function integerOrKeyword<const Keyword extends string>(
  ...keywords: readonly Keyword[]
): ParameterType<number | Keyword> {
  return {
    schema: Type.Union([Type.Integer(), Type.Enum(keywords as unknown as string[])]),
    read(raw, name, problems) {
      const keyword =
        typeof raw === 'string'
          ? keywords.find((candidate) => candidate.toLowerCase() === raw.toLowerCase())
          : undefined;
      return keyword ?? integer.read(raw, name, problems);
    },
  };
}

/** An id, `None` or `Any`. */
export const idOrKeyword: ParameterType<IdOrKeyword> = integerOrKeyword<FilterKeyword>('None', 'Any');

/** Filters that can be negated. A blank username or title has no effect. */
export const negatableFilterParams = {
  labels: optional(commaSeparated(string)),
  milestone: optional(absentIfBlank(string)),
  iids: optional(commaSeparated(integer)),
  author_id: optional(integer),
  author_username: optional(absentIfBlank(string)),
  assignee_id: optional(idOrKeyword),
  assignee_username: optional(commaSeparated(string)),
  my_reaction_emoji: optional(absentIfBlank(string)),
};

/** Filters by text and by timestamps, which cannot be negated. */
export const searchAndTimeParams = {
  search: optional(searchExpression),
  in: optional(commaSeparated(oneOf('title', 'description'))),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
};
