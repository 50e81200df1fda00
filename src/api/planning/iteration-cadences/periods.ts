import { addDays, MAX_DATE } from '#runtime/clock.ts';

// Computes the dates of iterations of an automatic cadence (contract/planning.md §3.10 "Automatic scheduling"). The functions read no database.

/** A range of days, `YYYY-MM-DD`, both inclusive. */
export interface Period {
  readonly start_date: string;
  readonly due_date: string;
}

/** The settings of an automatic cadence that determine its iterations. */
export interface ScheduleRule {
  readonly start_date: string;
  readonly duration_in_weeks: number;
  readonly iterations_in_advance: number;
}

/** The iterations of a cadence, seen from one day. */
export interface IterationTimeline<Upcoming extends Period> {
  readonly today: string;
  /** The last started iteration. */
  readonly latestStarted: Period | null;
  /** Iterations that have not started, by start date. */
  readonly upcoming: readonly Upcoming[];
}

/** The changes that complete a cadence's schedule. */
export interface SchedulePlan<Upcoming> {
  /** Upcoming iterations whose dates change. */
  readonly rescheduledIterations: readonly { readonly iteration: Upcoming; readonly period: Period }[];
  readonly newPeriods: readonly Period[];
  /** The start date of the first upcoming iteration; null at the end of the calendar. */
  readonly nextRun: string | null;
  /** Whether all requested iterations fit before the end of the calendar. */
  readonly isComplete: boolean;
}

/**
 * Plans iterations without gaps, from the start date of the rule or after the last started one, until enough are upcoming.
 * With `reschedule`, upcoming iterations get new dates too. Planning stops at the end of the calendar (`MAX_DATE`).
 */
export function planSchedule<Upcoming extends Period>(
  rule: ScheduleRule,
  { today, latestStarted, upcoming }: IterationTimeline<Upcoming>,
  { reschedule }: { readonly reschedule: boolean },
): SchedulePlan<Upcoming> {
  const periods: Period[] = reschedule ? [] : [...upcoming];
  const planNext = (): Period | null => {
    const period = nextPeriod(periods.at(-1) ?? latestStarted, rule);
    if (period.due_date >= MAX_DATE) return null;
    periods.push(period);
    return period;
  };
  let isComplete = true;
  const rescheduledIterations: { iteration: Upcoming; period: Period }[] = [];
  for (const iteration of reschedule ? upcoming : []) {
    const period = planNext();
    isComplete = period !== null;
    if (period === null) break;
    if (!isSamePeriod(period, iteration)) rescheduledIterations.push({ iteration, period });
  }
  const newPeriods: Period[] = [];
  let missingCount = rule.iterations_in_advance - periods.filter(({ start_date }) => start_date > today).length;
  while (isComplete && missingCount > 0) {
    const period = planNext();
    isComplete = period !== null;
    if (period === null) break;
    newPeriods.push(period);
    if (period.start_date > today) missingCount--;
  }
  const nextRun = periods.find(({ start_date }) => start_date > today)?.start_date ?? null;
  return { rescheduledIterations, newPeriods, nextRun, isComplete };
}

/** Returns the period directly after `lastPeriod`, but not before the start date of the rule. */
function nextPeriod(
  lastPeriod: Period | null,
  { start_date: earliestStart, duration_in_weeks: weeks }: ScheduleRule,
): Period {
  const nextStart = lastPeriod === null ? earliestStart : addDays(lastPeriod.due_date, 1);
  const start_date = nextStart < earliestStart ? earliestStart : nextStart;
  return { start_date, due_date: addDays(start_date, weeks * 7 - 1) };
}

const isSamePeriod = (one: Period, other: Period) =>
  one.start_date === other.start_date && one.due_date === other.due_date;

/** Returns the earliest start date of a cadence created today: its first iteration must not be over. */
export const getEarliestStart = (today: string, weeks: number): string => addDays(today, 1 - weeks * 7);
