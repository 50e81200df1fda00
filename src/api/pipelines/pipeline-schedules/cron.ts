import { Cron } from 'croner';
import { findTimeZone } from './time-zones.ts';

/**
 * Cron expressions (contract/runners.md §4.7): five fields (minutes, hours, days, months, days of the week), or
 * shortcuts such as `@daily`. When clocks go forward, times in the skipped hour are due right after it. When clocks go
 * back, repeating minutes run in both hours, and fixed times run in the first.
 */

/**
 * Patterns of supported fields. They exclude syntax that croner interprets differently from other cron implementations:
 * the current time, the nearest weekday, and combined day rules.
 */
const FIELD_PATTERN = /^[\dA-Z*,/#-]+$/i;
const DAY_PATTERN = /^[\dL*,/-]+$/i;
/** A step needs a start value. */
const STEP_WITHOUT_START = /(?:^|,)\//;

/** `5/15` means every 15th value from 5 on, as in other cron implementations. */
const CRON_OPTIONS = { sloppyRanges: true } as const;

/**
 * Limit of the search for the next match, in years. Within this period every date falls on every day of the week. An
 * expression without a match in it never matches: 30 February, or a time that is always skipped.
 */
const MAX_YEARS_AHEAD = 41;

/** Returns whether the text is a valid expression; it may never match. */
export function isCron(text: string): boolean {
  const fields = splitFields(text);
  const [, , days = ''] = fields;
  const isSupported = text.trim().startsWith('@')
    ? fields.length === 1
    : fields.length === 5 &&
      fields.every((field) => FIELD_PATTERN.test(field) && !STEP_WITHOUT_START.test(field)) &&
      DAY_PATTERN.test(days);
  if (!isSupported) return false;
  try {
    new Cron(fields.join(' '), { ...CRON_OPTIONS, utcOffset: 0, mode: '5-part', paused: true });
    return true;
  } catch {
    return false;
  }
}

const splitFields = (text: string): string[] => text.trim().split(/\s+/);

/** Returns the first match after `after`; null: none, or unknown time zone. */
export function findNextRun(cron: string, zoneName: string, after: string): string | null {
  const zone = findTimeZone(zoneName);
  if (zone === null) return null;
  // UTC needs no time zone database, which the JavaScript engine loads for a named zone.
  const zoneOption = zone === 'Etc/UTC' ? { utcOffset: 0 } : { timezone: zone };
  const nextRun = new Cron(limitYears(cron, after), { ...CRON_OPTIONS, ...zoneOption, paused: true }).nextRun(
    new Date(after),
  );
  return nextRun?.toISOString() ?? null;
}

/** Adds a field for seconds and one for years. Shortcuts such as `@daily` always match and are not changed. */
function limitYears(cron: string, after: string): string {
  const fields = splitFields(cron);
  const year = Number(after.slice(0, 4));
  // Starts one year earlier, because the local year may differ from that of UTC.
  return fields.length === 1 ? fields.join('') : `0 ${fields.join(' ')} ${year - 1}-${year + MAX_YEARS_AHEAD}`;
}
