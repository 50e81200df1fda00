import { Cron } from 'croner';
import { zoneNamed } from './zones.ts';

/**
 * When a schedule is due (contract/runners.md §4.7): five fields of minutes, hours, days, months and days of the week, or
 * `@daily` and the like. Of a day on which the clocks are put forward, what is said of the hour that is left out is due right
 * behind it; where they are put back, what happens every so many minutes happens in both hours, and what has one moment in the
 * first.
 */

/** What croner takes besides and would read otherwise than others do: the present moment, weekdays near a day, and both at once. */
const FIELD = /^[\dA-Z*,/#-]+$/i;
const DAYS = /^[\dL*,/-]+$/i;

/** A leap year, in which there is every day that there is in any year. */
const LEAP_YEAR = 2028;

/** Is it an expression, of which some moment ever comes? */
export function isCron(text: string): boolean {
  const expression = text.trim();
  if (expression.startsWith('@')) return isReadable(expression);
  const fields = expression.split(/\s+/);
  const [, , days = '', months = '', weekdays = ''] = fields;
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field)) || !DAYS.test(days)) return false;
  return isReadable(expression) && (weekdays !== '*' || comes(days, months));
}

function isReadable(expression: string): boolean {
  try {
    cronOf(expression, null);
    return true;
  } catch {
    return false;
  }
}

/** Asked for one year: to find no 30 February in all the years that there are takes long. */
function comes(days: string, months: string): boolean {
  const inYear = new Cron(`0 0 0 ${days} ${months} * ${LEAP_YEAR}`, { utcOffset: 0, paused: true });
  return inYear.nextRun(new Date(Date.UTC(LEAP_YEAR - 1, 11, 31))) !== null;
}

function cronOf(expression: string, zone: string | null): Cron {
  // UTC by arithmetic: a named zone would load the engine's tables of zones for it.
  const where = zone === null || zone === 'Etc/UTC' ? { utcOffset: 0 } : { timezone: zone };
  return new Cron(expression, { ...where, mode: '5-part', paused: true });
}

/** The first moment after `after`; null: there is none, or nobody can say, because the zone is no more. */
export function nextRunAfter(cron: string, zoneName: string, after: string): string | null {
  const zone = zoneNamed(zoneName);
  if (zone === null) return null;
  return cronOf(cron.trim(), zone).nextRun(new Date(after))?.toISOString() ?? null;
}
