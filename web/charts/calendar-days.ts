/** The days of a calendar of weeks. All dates are in UTC, as in the API. */

interface CalendarDay {
  /** `2026-02-13`. */
  readonly date: string;
  readonly count: number;
  /** 0 without events, else 1 to 4: quarters of the greatest count. */
  readonly level: number;
  readonly week: number;
  /** 0 for Monday. */
  readonly weekday: number;
}

const DAY_MS = 86_400_000;

/** Returns the days of this number of weeks; the last week contains `lastDate`. */
export function listCalendarDays(
  counts: Readonly<Record<string, number>>,
  lastDate: string,
  weeks: number,
): readonly CalendarDay[] {
  const last = Date.parse(lastDate);
  const lastWeekday = (new Date(last).getUTCDay() + 6) % 7;
  const length = weeks * 7 - (6 - lastWeekday);
  const max = Math.max(0, ...Object.values(counts));
  return Array.from({ length }, (_value, index) => {
    const date = new Date(last - (length - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const count = counts[date] ?? 0;
    const level = count === 0 ? 0 : Math.ceil((4 * count) / max);
    return { date, count, level, week: Math.floor(index / 7), weekday: index % 7 };
  });
}

/** Returns the first week of each month, if its name has space before the next one. */
export function listCalendarMonths(days: readonly CalendarDay[]): readonly { week: number; label: string }[] {
  const starts = days.filter(
    ({ date, weekday }, index) => weekday === 0 && (index === 0 || isNewMonth(days, index, date)),
  );
  return starts
    .filter(({ week }, index) => (starts[index + 1]?.week ?? Number.POSITIVE_INFINITY) - week >= MIN_LABEL_WEEKS)
    .map(({ week, date }) => ({ week, label: monthFormat.format(Date.parse(date)) }));
}

const isNewMonth = (days: readonly CalendarDay[], index: number, date: string): boolean =>
  days[index - 7]?.date.slice(0, 7) !== date.slice(0, 7);

const MIN_LABEL_WEEKS = 3;
const monthFormat = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
