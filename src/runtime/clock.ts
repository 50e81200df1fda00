/** The only source of time. Tests inject a clock that they advance by hand; no other code reads the system time. */
export interface Clock {
  /** Returns the current time. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Returns the current time in the stored and serialized form: ISO 8601, UTC, milliseconds. */
export function timestamp(clock: Clock): string {
  const now = clock.now();
  if (now.getTime() !== lastTimestamp.time) lastTimestamp = { time: now.getTime(), text: now.toISOString() };
  return lastTimestamp.text;
}

/** The last timestamp, cached: a request needs several within one millisecond, and formatting is most of their cost. */
let lastTimestamp = { time: Number.NaN, text: '' };

/** Returns today's UTC date, `YYYY-MM-DD`. */
export function getToday(clock: Clock): string {
  return toUtcDate(timestamp(clock));
}

/** Returns the UTC date of a stored timestamp. */
export function toUtcDate(timestamp: string): string {
  return timestamp.slice(0, 10);
}

export const DAY_MS = 86_400_000;

/** English month names, as people and tools write dates. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** The last date that can be serialized. */
export const MAX_DATE = '9999-12-31';

/** Returns the date a number of days later, or earlier for a negative number; at most `MAX_DATE`. */
export function addDays(date: string, days: number): string {
  const milliseconds = Math.min(Date.parse(date) + days * DAY_MS, Date.parse(MAX_DATE));
  return toUtcDate(new Date(milliseconds).toISOString());
}

/** Returns the same day and time a number of years earlier; 29 February becomes the 28th where needed. */
export function subtractYears(timestamp: string, years: number): string {
  const date = new Date(timestamp);
  const day = date.getUTCDate();
  date.setUTCFullYear(date.getUTCFullYear() - years);
  // 29 February became 1 March: day 0 is the last day of the previous month.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.toISOString();
}

/** Returns the date `YYYY-MM-DD` of a year, month (from 1) and day, or null if no such date exists. */
export function toCalendarDate(year: number, month: number, day: number): string | null {
  const time = new Date(Date.UTC(year, month - 1, day));
  const exists = time.getUTCFullYear() === year && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  return exists ? toUtcDate(time.toISOString()) : null;
}

const MIN_TIME = Date.parse('0001-01-01T00:00:00.000Z');
const MAX_TIME = Date.parse(`${MAX_DATE}T23:59:59.999Z`);

/**
 * Returns the timestamp a number of milliseconds later, or earlier for a negative number. The result stays between the first
 * and the last timestamp that can be serialized: clients send durations of thousands of years.
 */
export function addMilliseconds(timestamp: string, milliseconds: number): string {
  const time = Date.parse(timestamp) + milliseconds;
  return new Date(Math.min(Math.max(time, MIN_TIME), MAX_TIME)).toISOString();
}
