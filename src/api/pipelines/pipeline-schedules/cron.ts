import { Cron } from 'croner';
import { zoneNamed } from './time-zones.ts';

/**
 * When a schedule is due (contract/runners.md §4.7): five fields of minutes, hours, days, months and days of the week, or
 * `@daily` and the like. Of a day on which the clocks are put forward, what is said of the hour that is left out is due right
 * behind it; where they are put back, what happens every so many minutes happens in both hours, and what has one moment in the
 * first.
 */

/** What croner takes besides and would read otherwise than others do: the present moment, weekdays near a day, and both at once. */
const FIELD = /^[\dA-Z*,/#-]+$/i;
const DAYS = /^[\dL*,/-]+$/i;
/** A step that starts nowhere is none. */
const STARTLESS = /(?:^|,)\//;

/** `5/15` is every fifteenth from the fifth on, as in other crons. */
const STEPS = { sloppyRanges: true } as const;

/**
 * In so many years there is every day of the calendar on every day of the week. What finds no moment in them never will: there
 * is no 30 February, nor half past two where clocks are always put forward. To look through all years that there are takes long.
 */
const YEARS = 41;

/** Is it an expression? Whether a moment of it ever comes is not asked here. */
export function isCron(text: string): boolean {
  const fields = fieldsOf(text);
  const [, , days = ''] = fields;
  const isOurs = text.trim().startsWith('@')
    ? fields.length === 1
    : fields.length === 5 && fields.every((field) => FIELD.test(field) && !STARTLESS.test(field)) && DAYS.test(days);
  if (!isOurs) return false;
  try {
    new Cron(fields.join(' '), { ...STEPS, utcOffset: 0, mode: '5-part', paused: true });
    return true;
  } catch {
    return false;
  }
}

const fieldsOf = (text: string): string[] => text.trim().split(/\s+/);

/** The first moment after `after` of an expression; null: there is none, or nobody can say, because there is no such zone. */
export function nextRunAfter(cron: string, zoneName: string, after: string): string | null {
  const zone = zoneNamed(zoneName);
  if (zone === null) return null;
  // UTC by arithmetic: a named zone would load the engine's tables of zones for it.
  const where = zone === 'Etc/UTC' ? { utcOffset: 0 } : { timezone: zone };
  const next = new Cron(withYears(cron, after), { ...STEPS, ...where, paused: true }).nextRun(new Date(after));
  return next?.toISOString() ?? null;
}

/** With the seconds and the years that are looked through; `@daily` and the like always come. */
function withYears(cron: string, after: string): string {
  const fields = fieldsOf(cron);
  const year = Number(after.slice(0, 4));
  // It may be another year there.
  return fields.length === 1 ? fields.join('') : `0 ${fields.join(' ')} ${year - 1}-${year + YEARS}`;
}
