import { addDays } from '#runtime/clock.ts';

/** Date ranges relative to today, as `YYYY-MM-DD`, for the `due_date` filter (contract/planning.md §3.6). */

/** Values of the filter `due_date`. */
export const DUE_DATES = [
  '0',
  'any',
  'today',
  'tomorrow',
  'overdue',
  'week',
  'month',
  'next_month_and_previous_two_weeks',
] as const;
export type DueDate = (typeof DUE_DATES)[number];

/** Range of days, `first` and `last` included; null means unbounded. */
export interface DayRange {
  readonly first: string | null;
  readonly last: string | null;
}

/** Returns the days of a keyword. `none` matches rows without a date, `any` rows with a date. Weeks begin on Monday. */
export function toDueDateRange(dueDate: DueDate, today: string): DayRange | 'none' | 'any' {
  switch (dueDate) {
    case '0':
      return 'none';
    case 'any':
      return 'any';
    case 'today':
      return { first: today, last: today };
    case 'tomorrow':
      return { first: addDays(today, 1), last: addDays(today, 1) };
    case 'overdue':
      return { first: null, last: addDays(today, -1) };
    case 'week': {
      const monday = addDays(today, -((new Date(today).getUTCDay() + 6) % 7));
      return { first: monday, last: addDays(monday, 6) };
    }
    case 'month':
      return { first: `${today.slice(0, 8)}01`, last: endOfMonth(today, 0) };
    default:
      return { first: addDays(today, -14), last: endOfMonth(today, 1) };
  }
}

/** Returns the last day of the month that is `months` after the month of `day`. */
function endOfMonth(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month + months, 0)).toISOString().slice(0, 10);
}
