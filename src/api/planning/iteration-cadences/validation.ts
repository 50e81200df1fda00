import { type FieldErrors, fieldErrors } from '#runtime/failure.ts';
import { earliestStart } from './periods.ts';
import type { CadenceContent } from './store.ts';

/** What cadences may say (contract/planning.md §3.10 "Model errors"). */

const LONGEST_TITLE = 255;
const LONGEST_DESCRIPTION = 5000;
/** The last day that iterations can be counted from: none is behind the year 9999. */
const LAST_START = '9998-12-31';

const WEEKS = { least: 1, most: 4 };
const ADVANCE = { least: 1, most: 10 };

/** What an automatic cadence has, and one by hand has not. */
export function completed(content: CadenceContent): CadenceContent {
  if (content.automatic) return content;
  return { ...content, duration_in_weeks: null, iterations_in_advance: null, roll_over: false };
}

/** Null, or what is wrong. `begins`: its iterations are counted from the first day on, which may be too long ago. */
export function contentErrors(content: CadenceContent, today: string, begins: boolean): FieldErrors | null {
  const { title, description, automatic, start_date, duration_in_weeks: weeks, iterations_in_advance: many } = content;
  const errors = fieldErrors({
    title: titleErrors(title),
    start_date: automatic ? startErrors(start_date) : [],
    duration_in_weeks: automatic ? numberErrors(weeks, WEEKS) : [],
    iterations_in_advance: automatic ? numberErrors(many, ADVANCE) : [],
    description: isLonger(description ?? '', LONGEST_DESCRIPTION) ? [tooLong(LONGEST_DESCRIPTION)] : [],
  });
  if (errors || !automatic || !begins || start_date === null || weeks === null) return errors;
  const earliest = earliestStart(today, weeks);
  return start_date < earliest ? { base: [tooEarly(earliest)] } : null;
}

const isLonger = (text: string, most: number) => [...text].length > most;
const tooLong = (most: number) => `is too long (maximum is ${most} characters)`;
const tooEarly = (earliest: string) =>
  `The automation start date would retroactively create a past iteration. ${earliest} is the earliest possible start date.`;

const BLANK = "can't be blank";
const OUT_OF_RANGE = 'is not included in the list';

function titleErrors(title: string): string[] {
  if (title === '') return [BLANK];
  return isLonger(title, LONGEST_TITLE) ? [tooLong(LONGEST_TITLE)] : [];
}

function startErrors(start: string | null): string[] {
  if (start === null) return [BLANK];
  return start > LAST_START ? [OUT_OF_RANGE] : [];
}

function numberErrors(value: number | null, { least, most }: { readonly least: number; readonly most: number }) {
  if (value === null) return [BLANK];
  return value < least || value > most ? [OUT_OF_RANGE] : [];
}
