import { MAX_IID } from '#domain/iids.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { longDescription, string, title } from '#http/parameters/texts.ts';
import { arrayOf, date, dateTime, integer, integerIn } from '#http/parameters/types.ts';
import { lenient } from './lenient-type.ts';

/** What elements of several relations have. */

/** What is planned has a number of its own. */
export const numbered = {
  id: required(integer),
  iid: required(integerIn({ min: 1, max: MAX_IID })),
  title: required(title),
  description: optional(longDescription),
  web_url: lenient(string),
};

export const times = { created_at: required(dateTime), updated_at: optional(dateTime) };

export const dates = { start_date: optional(date), due_date: optional(date) };

/** By their titles. */
export const labelTitles = optional(arrayOf(title), []);

interface Named {
  readonly title: string;
  readonly web_url?: string | null | undefined;
}

/** What failure records say of it. */
export const importProblemOf = ({ title: called, web_url }: Named) => ({ title: called, url: web_url });

interface Timed {
  readonly created_at: string;
  readonly updated_at?: string | null | undefined;
}

/** What has never been changed is as new as it was made. */
export const timesOf = ({ created_at, updated_at }: Timed) => ({ created_at, updated_at: updated_at ?? created_at });
