/** The only source of time. Tests inject one that they move by hand; nothing else in Hearth asks the machine. */
export interface Clock {
  /** The present moment. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The moment in the form that is stored and goes on the wire: ISO 8601, UTC, milliseconds. */
export function timestamp(clock: Clock): string {
  const now = clock.now();
  if (now.getTime() !== written.time) written = { time: now.getTime(), text: now.toISOString() };
  return written.text;
}

/** A request asks several times in one millisecond, and most of what it costs is writing it down. */
let written = { time: Number.NaN, text: '' };

/** Today's UTC date, `YYYY-MM-DD`. */
export function today(clock: Clock): string {
  return dayOf(timestamp(clock));
}

/** The UTC date of a stored moment. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

export const DAY_MS = 86_400_000;

/** What English calls them, by which people and tools write dates. */
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

/** The last day that has a form on the wire. */
export const LAST_DAY = '9999-12-31';

/** The date so many days after (before, with a negative number) this date; behind the last day there is none. */
export function daysAfter(date: string, days: number): string {
  const moment = Math.min(Date.parse(date) + days * DAY_MS, Date.parse(LAST_DAY));
  return dayOf(new Date(moment).toISOString());
}

/** The moment so many years before this moment, at the same time of the same day; before 29 February it may be the 28th. */
export function yearsBefore(moment: string, years: number): string {
  const date = new Date(moment);
  const day = date.getUTCDate();
  date.setUTCFullYear(date.getUTCFullYear() - years);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.toISOString();
}

/** The date of this year, month and day, `YYYY-MM-DD`; null when the calendar has none. */
export function calendarDate(year: number, month: number, day: number): string | null {
  const time = new Date(Date.UTC(year, month - 1, day));
  const real = time.getUTCFullYear() === year && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  return real ? dayOf(time.toISOString()) : null;
}

const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = Date.parse(`${LAST_DAY}T23:59:59.999Z`);

/**
 * The moment so many milliseconds after (before, with a negative number) this moment; people ask for thousands of years, and
 * get the last or first one that has a form on the wire.
 */
export function momentAfter(moment: string, milliseconds: number): string {
  const after = Date.parse(moment) + milliseconds;
  return new Date(Math.min(Math.max(after, FIRST_MOMENT), LAST_MOMENT)).toISOString();
}
