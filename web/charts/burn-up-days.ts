/** How many issues there were on a day, and how many of them were closed. */
export interface BurnUpDay {
  /** Milliseconds since 1970 at the end of the day in UTC. */
  readonly time: number;
  readonly total: number;
  readonly closed: number;
}

export interface CountedIssue {
  readonly created_at: string;
  readonly closed_at: string | null;
}

const DAY_MS = 86_400_000;

/** The number of days that a chart shows at most: the last ones. */
const MAX_DAYS = 366;

/**
 * Counts issues at the end of each day from `start`, or from the first issue without a start, to `now`. Empty if the period
 * has not begun.
 */
export function countByDay(issues: readonly CountedIssue[], start: string | null, now: number): readonly BurnUpDay[] {
  const created = issues.map(({ created_at }) => Date.parse(created_at));
  const closed = issues.flatMap(({ closed_at }) => (closed_at === null ? [] : [Date.parse(closed_at)]));
  const from = start === null ? Math.min(...created) : Date.parse(start);
  const [firstDay, lastDay] = [Math.floor(from / DAY_MS), Math.floor(now / DAY_MS)];
  if (issues.length === 0 || firstDay > lastDay) return [];
  const count = Math.min(lastDay - firstDay + 1, MAX_DAYS);
  return Array.from({ length: count }, (_, index) => {
    const time = (lastDay - count + 2 + index) * DAY_MS - 1;
    const isBefore = (other: number) => other <= time;
    return { time, total: created.filter(isBefore).length, closed: closed.filter(isBefore).length };
  });
}
