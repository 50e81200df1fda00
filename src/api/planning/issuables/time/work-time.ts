import { type DurationUnit, getSeconds, parseDuration, WORK_CALENDAR } from '#text/durations.ts';

/** The units of the short form. A week has five days of eight hours (contract/planning.md §3.6). */
const UNITS: readonly (readonly [name: string, unit: DurationUnit])[] = [
  ['mo', 'months'],
  ['w', 'weeks'],
  ['d', 'days'],
  ['h', 'hours'],
  ['m', 'minutes'],
  ['s', 'seconds'],
];
/** Maximum number of seconds: the largest 32-bit integer. */
const MAX_SECONDS = 2 ** 31 - 1;

/** Returns the time in seconds, or null if the text is invalid. A number without a unit is in hours. A leading minus applies to all parts. */
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
