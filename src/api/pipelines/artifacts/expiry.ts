import { momentAfter } from '#runtime/clock.ts';
import { readDuration } from '../ci-file/index.ts';

/** When what is sent now goes, by what its CI file says, or else the setting: a moment, null for never, undefined for no duration. */
export function expiryOf(now: string, said: string | null | undefined, byDefault: string): string | null | undefined {
  const text = (said || byDefault).trim();
  if (/^never$/i.test(text)) return null;
  // The setting's way of saying it.
  if (!said && text === '0') return null;
  const seconds = readDuration(text);
  return seconds === null ? undefined : momentAfter(now, seconds * 1000);
}
