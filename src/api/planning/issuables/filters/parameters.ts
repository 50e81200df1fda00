import { Type } from 'typebox';
import { optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { expression, string } from '#http/parameters/texts.ts';
import { absentIfBlank, commaArray, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import type { IdOrWord, Word } from './conditions.ts';

/** What lists of issues and merge requests are narrowed by alike (contract/planning.md §3.6, §3.8). */

/** A number, or one of these words in any case. */
export function integerOr<const W extends string>(...words: readonly W[]): ParameterType<number | W> {
  return {
    schema: Type.Union([Type.Integer(), Type.Enum(words as unknown as string[])]),
    read(raw, name, problems) {
      const word = typeof raw === 'string' ? words.find((one) => one.toLowerCase() === raw.toLowerCase()) : undefined;
      return word ?? integer.read(raw, name, problems);
    },
  };
}

export const idOrWord: ParameterType<IdOrWord> = integerOr<Word>('None', 'Any');

/** What may be negated too. A blank name narrows nothing, as in the reference. */
export const whichParams = {
  labels: optional(commaArray(string)),
  milestone: optional(absentIfBlank(string)),
  iids: optional(commaArray(integer)),
  author_id: optional(integer),
  author_username: optional(absentIfBlank(string)),
  assignee_id: optional(idOrWord),
  assignee_username: optional(commaArray(string)),
};

export const wordsAndTimesParams = {
  search: optional(expression),
  in: optional(commaArray(oneOf('title', 'description'))),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
};
