import { addMilliseconds } from '#runtime/clock.ts';
import { parseCiDuration } from '../ci-file/index.ts';

/** Returns the expiry timestamp for `expire_in` or the default setting; null: never expires, undefined: not a valid duration. */
export function resolveExpiry(
  now: string,
  said: string | null | undefined,
  byDefault: string,
): string | null | undefined {
  const text = (said || byDefault).trim();
  if (/^never$/i.test(text)) return null;
  // The setting uses `0` for "never".
  if (!said && text === '0') return null;
  const seconds = parseCiDuration(text);
  return seconds === null ? undefined : addMilliseconds(now, seconds * 1000);
}
