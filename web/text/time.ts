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
