import { importNote } from '#api/planning/notes/index.ts';
import { MAX_IID } from '#domain/iids.ts';
import { optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { type ParameterType, Problems } from '#http/parameters/parameter-type.ts';
import { longDescription, shortText, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, date, dateTime, integer, integerIn } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareChildRelation } from './relation.ts';
import { sourceUser, toAttributedText } from './users.ts';

// Field declarations that several relations share.

/** Fields of epics, issues, iterations, merge requests and milestones. */
export const numberedFields = {
  id: required(integer),
  iid: required(integerIn({ min: 1, max: MAX_IID })),
  title: required(shortText),
  description: optional(longDescription),
  web_url: ignoringInvalid(string),
};

export const timestampFields = { created_at: required(dateTime), updated_at: optional(dateTime) };

export const dateFields = { start_date: optional(date), due_date: optional(date) };

/** The `labels` of an element: their titles. */
export const labelTitles = optional(arrayOf(shortText), []);

interface TitledElement {
  readonly title: string;
  readonly web_url?: string | null | undefined;
}

/** Returns the title and URL of an element for failure records. */
export const toTitleAndUrl = ({ title: objectTitle, web_url }: TitledElement) => ({ title: objectTitle, url: web_url });

interface TimestampedElement {
  readonly created_at: string;
  readonly updated_at?: string | null | undefined;
}

/** Returns both timestamps; a missing update time equals the creation time. */
export const toTimestamps = ({ created_at, updated_at }: TimestampedElement) => ({
  created_at,
  updated_at: updated_at ?? created_at,
});

/** Creates an optional parameter that ignores invalid values instead of failing the element. */
export function ignoringInvalid<T>({ schema, read }: ParameterType<T>): Parameter<T, 'optional'> {
  return optional({
    schema,
    read(raw, name) {
      const problems = new Problems();
      const value = read(raw, name, problems);
      return problems.any ? null : value;
    },
  });
}

/** Notes of issues or merge requests, oldest first. */
export const createNotesRelation = (type: 'Issue' | 'MergeRequest', noteables: 'issues' | 'merge_requests') =>
  declareChildRelation({
    name: 'notes',
    kind: 'note',
    list: ({ id }, { iid }: { readonly iid: number }) =>
      `/projects/${id}/${noteables}/${iid}/notes?order_by=created_at&sort=asc`,
    fields: {
      id: required(integer),
      body: required(longDescription),
      author: optional(sourceUser),
      system: optional(boolean, false),
      internal: optional(boolean, false),
      /** Former name of `internal`. */
      confidential: optional(boolean, false),
      ...timestampFields,
    },
    referencedUsers: ({ author }) => [author],
    async store(uow, _target, { id }, note, users) {
      const { author_id, text } = toAttributedText(uow.actor, users, note.author, note.body);
      const { system, confidential } = note;
      const internal = note.internal || confidential;
      const result = await importNote(
        uow,
        { type, id },
        { author_id, body: text ?? '', system, internal, ...toTimestamps(note) },
      );
      return isFailure(result) ? result : result.id;
    },
  });
