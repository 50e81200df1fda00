import { daysAfter } from '#runtime/clock.ts';

/** Days around today, `YYYY-MM-DD`, for filters by date (contract/planning.md §3.6 `due_date`). */

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

/** The days from the first to the last, both among them; null is open. */
export interface Days {
  readonly first: string | null;
  readonly last: string | null;
}

/** The days that a word means: `none` those who have no day, `any` those who have one. Weeks begin on Monday. */
export function daysOf(word: DueDate, today: string): Days | 'none' | 'any' {
  switch (word) {
    case '0':
      return 'none';
    case 'any':
      return 'any';
    case 'today':
      return { first: today, last: today };
    case 'tomorrow':
      return { first: daysAfter(today, 1), last: daysAfter(today, 1) };
    case 'overdue':
      return { first: null, last: daysAfter(today, -1) };
    case 'week': {
      const monday = daysAfter(today, -((new Date(today).getUTCDay() + 6) % 7));
      return { first: monday, last: daysAfter(monday, 6) };
    }
    case 'month':
      return { first: `${today.slice(0, 8)}01`, last: endOfMonth(today, 0) };
    default:
      return { first: daysAfter(today, -14), last: endOfMonth(today, 1) };
  }
}

/** The last day of the month so many months later. */
function endOfMonth(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month + months, 0)).toISOString().slice(0, 10);
}
