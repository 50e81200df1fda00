/** Times as people read them. */

const STEPS: readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [7 * 86_400, 'day'],
  [30 * 86_400, 'week'],
  [365 * 86_400, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
];

const relativeTime = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Returns the distance of a time from now in its largest unit: `3 hours ago`, `yesterday`. */
export function formatRelativeTime(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1000;
  let unitSeconds = 1;
  for (const [limit, unit] of STEPS) {
    if (Math.abs(seconds) < limit) return relativeTime.format(Math.round(seconds / unitSeconds), unit);
    unitSeconds = limit;
  }
  throw new Error('The last step has no limit');
}

/** Returns a duration in its two largest units: `1 h 5 min`, `12 s`. */
export function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(rounded / 3600), Math.floor(rounded / 60) % 60, rounded % 60];
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  if (minutes === 0) return `${rest} s`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}
