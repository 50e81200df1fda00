import { compactFieldErrors, type FieldErrors } from '#runtime/failure.ts';
import { getEarliestStart } from './periods.ts';
import type { CadenceContent } from './store.ts';

// Validation of iteration cadences (contract/planning.md §3.10 "Model errors").

/** Maximum lengths in characters. */
const MAX_TITLE_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 5000;
/** The latest start date: no iteration may end after the year 9999. */
const LATEST_START_DATE = '9998-12-31';

/** Allowed durations in weeks. */
const DURATION_RANGE = { min: 1, max: 4 };
/** Allowed numbers of iterations in advance. */
const ADVANCE_RANGE = { min: 1, max: 10 };

/** Clears the attributes that only automatic cadences have. */
export function normalizeCadence(content: CadenceContent): CadenceContent {
  if (content.automatic) return content;
  return { ...content, duration_in_weeks: null, iterations_in_advance: null, roll_over: false };
}

/** Returns validation errors, or null. `startsSchedule`: no iteration has started yet, so the start date must not be too early. */
export function validateCadence(content: CadenceContent, today: string, startsSchedule: boolean): FieldErrors | null {
  const {
    title,
    description,
    automatic,
    start_date,
    duration_in_weeks: weeks,
    iterations_in_advance: countInAdvance,
  } = content;
  const errors = compactFieldErrors({
    title: validateTitle(title),
    start_date: automatic ? validateStartDate(start_date) : [],
    duration_in_weeks: automatic ? validateNumber(weeks, DURATION_RANGE) : [],
    iterations_in_advance: automatic ? validateNumber(countInAdvance, ADVANCE_RANGE) : [],
    description: isLonger(description ?? '', MAX_DESCRIPTION_LENGTH) ? [tooLongMessage(MAX_DESCRIPTION_LENGTH)] : [],
  });
  if (errors || !automatic || !startsSchedule || start_date === null || weeks === null) return errors;
  const earliestStart = getEarliestStart(today, weeks);
  return start_date < earliestStart ? { base: [tooEarlyMessage(earliestStart)] } : null;
}

const isLonger = (text: string, max: number) => [...text].length > max;
const tooLongMessage = (max: number) => `is too long (maximum is ${max} characters)`;
const tooEarlyMessage = (earliestStart: string) =>
  `The automation start date would retroactively create a past iteration. ${earliestStart} is the earliest possible start date.`;

const BLANK = "can't be blank";
const OUT_OF_RANGE = 'is not included in the list';

function validateTitle(title: string): string[] {
  if (title === '') return [BLANK];
  return isLonger(title, MAX_TITLE_LENGTH) ? [tooLongMessage(MAX_TITLE_LENGTH)] : [];
}

function validateStartDate(start: string | null): string[] {
  if (start === null) return [BLANK];
  return start > LATEST_START_DATE ? [OUT_OF_RANGE] : [];
}

function validateNumber(value: number | null, { min, max }: { readonly min: number; readonly max: number }) {
  if (value === null) return [BLANK];
  return value < min || value > max ? [OUT_OF_RANGE] : [];
}
