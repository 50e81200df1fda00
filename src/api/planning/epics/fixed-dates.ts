import type { Epic } from '#authorization/epics.ts';

/** Fixed dates of an epic. */
type FixedDates = Pick<Epic, 'dates_are_fixed' | 'start_date_fixed' | 'due_date_fixed'>;

/** Dates in a request; the last two names are deprecated. */
interface FixedDatesInput {
  readonly start_date_fixed?: string | null | undefined;
  readonly due_date_fixed?: string | null | undefined;
  readonly start_date_is_fixed?: boolean | null | undefined;
  readonly due_date_is_fixed?: boolean | null | undefined;
  readonly start_date?: string | null | undefined;
  readonly end_date?: string | null | undefined;
}

/** Returns the dates after the change. Both share one flag: a date or a `true` sets it, otherwise a `false` clears it. */
export function resolveFixedDates(before: FixedDates, input: FixedDatesInput): FixedDates {
  const start = input.start_date_fixed === undefined ? input.start_date : input.start_date_fixed;
  const due = input.due_date_fixed === undefined ? input.end_date : input.due_date_fixed;
  const flags = [input.start_date_is_fixed, input.due_date_is_fixed];
  const set = start != null || due != null || flags.includes(true);
  return {
    dates_are_fixed: set || (before.dates_are_fixed && !flags.includes(false)),
    start_date_fixed: start === undefined ? before.start_date_fixed : start,
    due_date_fixed: due === undefined ? before.due_date_fixed : due,
  };
}
