import { addMilliseconds } from '#runtime/clock.ts';
import { parseCiDuration } from '../ci-file/index.ts';

/**
 * Returns the expiry timestamp for `expire_in`, else for the default. Null: never expires; undefined: invalid duration.
 */
export function resolveExpiry(
  now: string,
  expireIn: string | null | undefined,
  defaultExpireIn: string,
): string | null | undefined {
  const text = (expireIn || defaultExpireIn).trim();
  if (/^never$/i.test(text)) return null;
  // The setting uses `0` for "never".
  if (!expireIn && text === '0') return null;
  const seconds = parseCiDuration(text);
  return seconds === null ? undefined : addMilliseconds(now, seconds * 1000);
}
