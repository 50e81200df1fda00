import { sql } from 'kysely';
import {
  estimateChangedText,
  getResourceTable,
  type SystemNoteText,
  TIME_SPENT_REMOVED_TEXT,
  timeSpentText,
} from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { type DurationUnit, getSeconds, parseDuration, WORK_CALENDAR } from '#text/durations.ts';

/** An issue or merge request whose time is tracked (contract/planning.md §3.6). */
export interface TimeTrackedResource {
  readonly type: 'Issue' | 'MergeRequest';
  readonly id: number;
}

/** Time estimate and spent time, in seconds. */
export interface TimeTotals {
  readonly time_estimate: number;
  readonly total_time_spent: number;
}

/** Sets the estimate to a duration such as `3h30m` and creates a system note. Fails with `estimateInvalid` if it is invalid. */
export async function setTimeEstimate(
  uow: UnitOfWork,
  resource: TimeTrackedResource,
  duration: string,
): Promise<TimeTotals | Failure<'estimateInvalid' | 'notFound'>> {
  const seconds = parseWorkTime(duration);
  if (seconds === null || seconds < 0) return fail('estimateInvalid');
  return updateEstimate(uow, resource, seconds);
}

/** Sets the estimate to 0. Creates a system note if the estimate changes. */
export const resetTimeEstimate = (uow: UnitOfWork, resource: TimeTrackedResource) => updateEstimate(uow, resource, 0);

async function updateEstimate(
  uow: UnitOfWork,
  resource: TimeTrackedResource,
  seconds: number,
): Promise<TimeTotals | Failure<'notFound'>> {
  const currentTimes = await findTimes(uow, resource);
  if (currentTimes === null) return fail('notFound');
  if (currentTimes.time_estimate === seconds) return currentTimes;
  return updateTimes(
    uow,
    resource,
    { ...currentTimes, time_estimate: seconds },
    estimateChangedText(formatWorkTime(seconds)),
  );
}

/**
 * Adds a duration to the spent time and creates a system note. A leading minus subtracts. `day` is the day of the work,
 * `YYYY-MM-DD`.
 */
export async function addSpentTime(
  uow: UnitOfWork,
  resource: TimeTrackedResource,
  duration: string,
  day = uow.today,
): Promise<TimeTotals | Failure<'spentInvalid' | 'invalid' | 'notFound'>> {
  const seconds = parseWorkTime(duration);
  if (seconds === null || seconds === 0) return fail('spentInvalid');
  const currentTimes = await findTimes(uow, resource);
  if (currentTimes === null) return fail('notFound');
  const total = currentTimes.total_time_spent + seconds;
  const errors = compactFieldErrors({ base: total < 0 ? ['Time to subtract exceeds the total time spent'] : [] });
  if (errors) return invalid(errors);
  const note = timeSpentText(formatWorkTime(Math.abs(seconds)) ?? '', day, seconds < 0);
  return updateTimes(uow, resource, { ...currentTimes, total_time_spent: total }, note);
}

/** Sets the spent time to 0. Creates a system note if the spent time changes. */
export async function resetSpentTime(
  uow: UnitOfWork,
  resource: TimeTrackedResource,
): Promise<TimeTotals | Failure<'notFound'>> {
  const currentTimes = await findTimes(uow, resource);
  if (currentTimes === null) return fail('notFound');
  return currentTimes.total_time_spent === 0
    ? currentTimes
    : updateTimes(uow, resource, { ...currentTimes, total_time_spent: 0 }, TIME_SPENT_REMOVED_TEXT);
}

/** Returns the current times, or null if the resource was deleted. index: issues primary key, merge_requests primary key */
async function findTimes(uow: UnitOfWork, { type, id }: TimeTrackedResource): Promise<TimeTotals | null> {
  const table = sql.table(getResourceTable(type));
  const { rows } = await sql<TimeTotals>`
    select time_estimate, total_time_spent from ${table} where id = ${id}`.execute(uow);
  return rows[0] ?? null;
}

async function updateTimes(
  uow: UnitOfWork,
  { type, id }: TimeTrackedResource,
  times: TimeTotals,
  text: SystemNoteText,
): Promise<TimeTotals> {
  const { time_estimate, total_time_spent } = times;
  await sql`
    update ${sql.table(getResourceTable(type))}
    set time_estimate = ${time_estimate}, total_time_spent = ${total_time_spent}, updated_at = ${uow.now}
    where id = ${id}`.execute(uow);
  await uow.record({ noteOn: { type, id }, text });
  return times;
}

/** The units of the short form. A week has five days of eight hours (contract/planning.md §3.6). */
const UNITS: readonly (readonly [name: string, unit: DurationUnit])[] = [
  ['mo', 'months'],
  ['w', 'weeks'],
  ['d', 'days'],
  ['h', 'hours'],
  ['m', 'minutes'],
  ['s', 'seconds'],
];

/** Maximum number of seconds: the largest 32-bit integer, which the column can store. */
const MAX_SECONDS = 2 ** 31 - 1;

/**
 * Parses a duration and returns it in seconds, or null if the text is invalid. A number without a unit is in hours. A leading minus
 * applies to all parts.
 */
export function parseWorkTime(text: string): number | null {
  const trimmed = text.trim();
  const isNegative = trimmed.startsWith('-');
  const seconds = parseDuration(isNegative ? trimmed.slice(1) : trimmed, WORK_CALENDAR, 'hours');
  if (seconds === null || seconds > MAX_SECONDS) return null;
  // `+ 0` turns -0 into 0.
  return (isNegative ? -1 : 1) * Math.round(seconds) + 0;
}

/** Formats a time as `3h 30m`; returns null for 0. */
export function formatWorkTime(seconds: number): string | null {
  if (seconds === 0) return null;
  let remainingSeconds = Math.abs(seconds);
  const parts: string[] = [];
  for (const [name, unit] of UNITS) {
    const secondsPerUnit = getSeconds(unit, WORK_CALENDAR);
    const unitCount = Math.floor(remainingSeconds / secondsPerUnit);
    remainingSeconds -= unitCount * secondsPerUnit;
    if (unitCount > 0) parts.push(`${unitCount}${name}`);
  }
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}
