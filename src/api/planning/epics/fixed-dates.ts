import type { Epic } from '#authorization/epics.ts';

/** Fixed dates of an epic. */
type FixedDates = Pick<Epic, 'dates_are_fixed' | 'start_date_fixed' | 'due_date_fixed'>;

/** Dates in a request. `start_date` and `end_date` are deprecated names of the fixed dates. */
interface FixedDatesInput {
  readonly start_date_fixed?: string | null | undefined;
  readonly due_date_fixed?: string | null | undefined;
  readonly start_date_is_fixed?: boolean | null | undefined;
  readonly due_date_is_fixed?: boolean | null | undefined;
  readonly start_date?: string | null | undefined;
  readonly end_date?: string | null | undefined;
}

/** Returns the dates after the update. Both dates share one flag: a date or `true` sets the flag; otherwise `false` clears it. */
export function resolveFixedDates(before: FixedDates, input: FixedDatesInput): FixedDates {
  const start = input.start_date_fixed === undefined ? input.start_date : input.start_date_fixed;
  const due = input.due_date_fixed === undefined ? input.end_date : input.due_date_fixed;
  const flags = [input.start_date_is_fixed, input.due_date_is_fixed];
  const setsFlag = start != null || due != null || flags.includes(true);
  return {
    dates_are_fixed: setsFlag || (before.dates_are_fixed && !flags.includes(false)),
    start_date_fixed: start === undefined ? before.start_date_fixed : start,
    due_date_fixed: due === undefined ? before.due_date_fixed : due,
  };
}
