import { addMilliseconds } from '#runtime/clock.ts';
import { parsePositiveSeconds } from '#text/durations.ts';

/**
 * Returns the expiry timestamp for `expireIn`, or for the default if it is missing. Null: never; undefined: invalid
 * duration.
 */
export function resolveExpiry(
  now: string,
  expireIn: string | null | undefined,
  defaultExpireIn: string,
): string | null | undefined {
  const duration = (expireIn || defaultExpireIn).trim();
  if (/^never$/i.test(duration)) return null;
  // The setting uses `0` for "never".
  if (!expireIn && duration === '0') return null;
  const seconds = parsePositiveSeconds(duration);
  return seconds === null ? undefined : addMilliseconds(now, seconds * 1000);
}
