import type { Columns } from '#database/database.ts';
import { describe, type NullablePartial, optional } from '#http/parameters/declarations.ts';
import { domainValidatedText, shortText } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, integer, oneOf } from '#http/parameters/types.ts';
import { compactFieldErrors, type FieldErrors } from '#runtime/failure.ts';

// The attributes of a runner and their validation (contract/runners.md §1.3 "Record rules").

export interface RunnerContent
  extends Columns<
    'runners',
    'description' | 'paused' | 'locked' | 'run_untagged' | 'access_level' | 'maintenance_note'
  > {
  /** Seconds. */
  readonly maximum_timeout: number | null;
}

export const ACCESS_LEVELS = ['not_protected', 'ref_protected'] as const;

const MAX_TEXT_LENGTH = 1024;
const MIN_TIMEOUT_SECONDS = 600;
const MAX_TAGS = 50;

/** The parameters that create and update have in common, in the contract's order. */
export const contentParams = {
  description: optional(domainValidatedText(MAX_TEXT_LENGTH)),
  paused: describe(optional(boolean), 'Whether the runner gets no jobs.'),
  tag_list: describe(
    optional(commaSeparated(shortText)),
    'All tags of the runner, at most 50; it takes only jobs whose tags it has.',
  ),
  run_untagged: describe(optional(boolean), 'Whether the runner takes jobs without tags; required without tags.'),
  locked: describe(optional(boolean), 'Whether only administrators can assign the runner to further projects.'),
  access_level: describe(
    optional(oneOf(...ACCESS_LEVELS)),
    '`ref_protected`: the runner takes only jobs of protected branches and tags.',
  ),
  maximum_timeout: describe(
    optional(integer),
    'Maximum time that a job may run, in seconds, at least 600; null removes the limit.',
  ),
  maintenance_note: describe(
    optional(domainValidatedText(MAX_TEXT_LENGTH)),
    'Note for those who may update the runner; others do not see it.',
  ),
};

/** The requested attributes. Absent attributes stay unchanged, and null ones if the attribute cannot be null. */
export type RunnerContentInput = NullablePartial<RunnerContent>;

const DEFAULTS: RunnerContent = {
  description: null,
  paused: false,
  locked: false,
  run_untagged: true,
  access_level: 'not_protected',
  maximum_timeout: null,
  maintenance_note: null,
};

/** Returns the attributes after a change. `current` is omitted for a new runner. */
export function applyContentChanges(changes: RunnerContentInput, current: RunnerContent = DEFAULTS): RunnerContent {
  const { description, maximum_timeout, maintenance_note } = changes;
  return {
    description: description === undefined ? current.description : description,
    paused: changes.paused ?? current.paused,
    locked: changes.locked ?? current.locked,
    run_untagged: changes.run_untagged ?? current.run_untagged,
    access_level: changes.access_level ?? current.access_level,
    maximum_timeout: maximum_timeout === undefined ? current.maximum_timeout : maximum_timeout,
    maintenance_note: maintenance_note === undefined ? current.maintenance_note : maintenance_note,
  };
}

/** Returns the requested tags without duplicates. */
export function distinctTags(tags: readonly string[] | null | undefined): readonly string[] | undefined {
  return tags == null ? undefined : [...new Set(tags)];
}

/** Returns validation errors, or null. `tags`: the number of tags after the change, and whether the tags changed. */
export function validateContent(
  content: RunnerContent,
  tags: { readonly count: number; readonly isChanged: boolean },
): FieldErrors | null {
  const { description, run_untagged, maximum_timeout, maintenance_note } = content;
  const isTimeoutTooShort = maximum_timeout !== null && maximum_timeout < MIN_TIMEOUT_SECONDS;
  const hasTooManyTags = tags.isChanged && tags.count > MAX_TAGS;
  return compactFieldErrors({
    description: validateLength(description),
    maximum_timeout: isTimeoutTooShort ? ['needs to be at least 10 minutes'] : [],
    // The key of the API; the parameter is `tag_list`.
    tags_list: [
      ...(!run_untagged && tags.count === 0
        ? ['can not be empty when runner is not allowed to pick untagged jobs']
        : []),
      ...(hasTooManyTags ? [`Too many tags specified. Please limit the number of tags to ${MAX_TAGS}`] : []),
    ],
    maintenance_note: validateLength(maintenance_note),
  });
}

function validateLength(text: string | null): readonly string[] {
  return text !== null && [...text].length > MAX_TEXT_LENGTH
    ? [`is too long (maximum is ${MAX_TEXT_LENGTH} characters)`]
    : [];
}

/** Returns the errors as one sentence: `Maximum timeout needs to be at least 10 minutes`. */
export function formatErrorSentence(errors: FieldErrors): string {
  const sentences = Object.entries(errors).flatMap(([field, texts]) =>
    texts.map((text) => `${humanize(field)} ${text}`),
  );
  const [last, ...otherSentences] = sentences.reverse();
  return otherSentences.length === 0 ? (last ?? '') : `${otherSentences.reverse().join(', ')} and ${last}`;
}

const humanize = (field: string) => `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;
