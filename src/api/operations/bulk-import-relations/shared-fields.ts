import { MAX_IID } from '#domain/iids.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { longDescription, shortText, string } from '#http/parameters/texts.ts';
import { arrayOf, date, dateTime, integer, integerIn } from '#http/parameters/types.ts';
import { ignoringInvalid } from './lenient-type.ts';

/** Field declarations that several relations share. */

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
export const toObjectRef = ({ title: objectTitle, web_url }: TitledElement) => ({ title: objectTitle, url: web_url });

interface TimestampedElement {
  readonly created_at: string;
  readonly updated_at?: string | null | undefined;
}

/** Returns both timestamps; a missing update time equals the creation time. */
export const toTimestamps = ({ created_at, updated_at }: TimestampedElement) => ({
  created_at,
  updated_at: updated_at ?? created_at,
});
