import type { RunnerAccessLevel } from '#database/tables/runners.ts';
import { optional } from '#http/parameters/declarations.ts';
import { ruledText, title } from '#http/parameters/texts.ts';
import { boolean, commaArray, integer, oneOf } from '#http/parameters/types.ts';
import { type FieldErrors, fieldErrors } from '#runtime/failure.ts';

/** What a runner is set to, and what is wrong with it (contract/runners.md §1.3 "Record rules"). */

export interface RunnerContent {
  readonly description: string | null;
  readonly paused: boolean;
  readonly locked: boolean;
  readonly run_untagged: boolean;
  readonly access_level: RunnerAccessLevel;
  /** Seconds. */
  readonly maximum_timeout: number | null;
  readonly maintenance_note: string | null;
}

export const ACCESS_LEVELS = ['not_protected', 'ref_protected'] as const;

const LONGEST_TEXT = 1024;
const SHORTEST_TIMEOUT = 600;
const MOST_TAGS = 50;

/** Those that every call has which makes or changes a runner, in the contract's order. */
export const contentParams = {
  description: optional(ruledText(LONGEST_TEXT)),
  paused: optional(boolean),
  tag_list: optional(commaArray(title)),
  run_untagged: optional(boolean),
  locked: optional(boolean),
  access_level: optional(oneOf(...ACCESS_LEVELS)),
  maximum_timeout: optional(integer),
  maintenance_note: optional(ruledText(LONGEST_TEXT)),
};

/** What was said of it; what was not, or as null where that says nothing, is left out. */
export type ContentChanges = { readonly [Name in keyof RunnerContent]?: RunnerContent[Name] | null | undefined };

const DEFAULTS: RunnerContent = {
  description: null,
  paused: false,
  locked: false,
  run_untagged: true,
  access_level: 'not_protected',
  maximum_timeout: null,
  maintenance_note: null,
};

/** The content after a change; of a new runner without `now`. */
export function changedContent(changes: ContentChanges, now: RunnerContent = DEFAULTS): RunnerContent {
  const { description, maximum_timeout, maintenance_note } = changes;
  return {
    description: description === undefined ? now.description : description,
    paused: changes.paused ?? now.paused,
    locked: changes.locked ?? now.locked,
    run_untagged: changes.run_untagged ?? now.run_untagged,
    access_level: changes.access_level ?? now.access_level,
    maximum_timeout: maximum_timeout === undefined ? now.maximum_timeout : maximum_timeout,
    maintenance_note: maintenance_note === undefined ? now.maintenance_note : maintenance_note,
  };
}

/** The tags that were said, each once. */
export function distinctTags(tags: readonly string[] | null | undefined): readonly string[] | undefined {
  return tags == null ? undefined : [...new Set(tags)];
}

/** `tags`: how many it has then, and whether others than before. */
export function contentErrors(
  content: RunnerContent,
  tags: { readonly count: number; readonly changed: boolean },
): FieldErrors | null {
  const { description, run_untagged, maximum_timeout, maintenance_note } = content;
  const tooShort = maximum_timeout !== null && maximum_timeout < SHORTEST_TIMEOUT;
  const tooMany = tags.changed && tags.count > MOST_TAGS;
  return fieldErrors({
    description: tooLong(description),
    maximum_timeout: tooShort ? ['needs to be at least 10 minutes'] : [],
    tags_list: [
      ...(!run_untagged && tags.count === 0
        ? ['can not be empty when runner is not allowed to pick untagged jobs']
        : []),
      ...(tooMany ? [`Too many tags specified. Please limit the number of tags to ${MOST_TAGS}`] : []),
    ],
    maintenance_note: tooLong(maintenance_note),
  });
}

function tooLong(text: string | null): readonly string[] {
  return text !== null && [...text].length > LONGEST_TEXT
    ? [`is too long (maximum is ${LONGEST_TEXT} characters)`]
    : [];
}

/** The same as one sentence: `Maximum timeout needs to be at least 10 minutes`. */
export function errorSentence(errors: FieldErrors): string {
  const sentences = Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => `${named(field)} ${text}`));
  const [last, ...others] = sentences.reverse();
  return others.length === 0 ? (last ?? '') : `${others.reverse().join(', ')} and ${last}`;
}

const named = (field: string) => `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;
