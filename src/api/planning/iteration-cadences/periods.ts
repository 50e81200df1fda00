import { daysAfter, LAST_DAY } from '#runtime/clock.ts';

/** Which days the iterations of an automatic cadence are (contract/planning.md §3.10 "Automatic scheduling"): arithmetic of days. */

/** From one day to another, both `YYYY-MM-DD` and both among its days. */
export interface Period {
  readonly start_date: string;
  readonly due_date: string;
}

export interface Rhythm {
  readonly start_date: string;
  readonly duration_in_weeks: number;
  readonly iterations_in_advance: number;
}

/** A cadence's iterations on a day. */
export interface Standing<Upcoming extends Period> {
  readonly today: string;
  /** The last that has begun. */
  readonly begun: Period | null;
  /** Those that have not, in their order. */
  readonly upcoming: readonly Upcoming[];
}

export interface Plan<Upcoming> {
  /** Iterations that get other days. */
  readonly moved: readonly { readonly iteration: Upcoming; readonly period: Period }[];
  readonly added: readonly Period[];
  /** When the first that has not begun begins; null: there is none, at the end of the calendar. */
  readonly nextRun: string | null;
  /** All are there that were asked for: none had to be behind the last day. */
  readonly whole: boolean;
}

/**
 * Back to back from the first day of the rhythm, and never on days of one that has begun: so many that enough have not begun.
 * `anew`: those that have not begun get the days that they would have in this rhythm. Where the calendar ends there are no more.
 */
export function planned<Upcoming extends Period>(
  rhythm: Rhythm,
  { today, begun, upcoming }: Standing<Upcoming>,
  anew: boolean,
): Plan<Upcoming> {
  const next = (last: Period | null) => periodAfter(last, rhythm);
  const moved: { iteration: Upcoming; period: Period }[] = [];
  const now: Period[] = anew ? [] : [...upcoming];
  let last = now.at(-1) ?? begun;
  let whole = true;
  for (const iteration of anew ? upcoming : []) {
    const period = next(last);
    whole &&= period.due_date < LAST_DAY;
    if (!whole) break;
    last = period;
    now.push(last);
    if (!isSame(last, iteration)) moved.push({ iteration, period: last });
  }
  const added: Period[] = [];
  const waiting = () => now.filter(({ start_date }) => start_date > today).length;
  for (let lacking = rhythm.iterations_in_advance - waiting(); whole && lacking > 0; ) {
    const period = next(last);
    whole = period.due_date < LAST_DAY;
    if (!whole) break;
    last = period;
    added.push(last);
    now.push(last);
    if (last.start_date > today) lacking--;
  }
  return { moved, added, nextRun: now.find(({ start_date }) => start_date > today)?.start_date ?? null, whole };
}

function periodAfter(last: Period | null, { start_date: first, duration_in_weeks: weeks }: Rhythm): Period {
  const free = last === null ? first : daysAfter(last.due_date, 1);
  const start_date = free < first ? first : free;
  return { start_date, due_date: daysAfter(start_date, weeks * 7 - 1) };
}

const isSame = (one: Period, other: Period) => one.start_date === other.start_date && one.due_date === other.due_date;

/** The first day that a cadence may begin with which is made today: its first iteration is not over. */
export const earliestStart = (today: string, weeks: number): string => daysAfter(today, 1 - weeks * 7);
