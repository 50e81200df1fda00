import { formatCount } from '../text/names.ts';
import { listCalendarDays, listCalendarMonths } from './calendar-days.ts';
import { Chart } from './chart.tsx';
import { useWidth } from './use-width.ts';

const CELL = 13;
const LABEL_HEIGHT = 16;
const MAX_WEEKS = 53;

/** A contribution calendar: a cell per day, a column per week. It shows the last year, or as many weeks as fit. */
export function Calendar({
  counts,
  lastDate,
}: {
  readonly counts: Readonly<Record<string, number>>;
  readonly lastDate: string;
}) {
  const [ref, width] = useWidth();
  const days = Object.entries(counts).sort(([a], [b]) => (a < b ? 1 : -1));
  const total = days.reduce((sum, [, count]) => sum + count, 0);
  const summary = `${formatCount(total, 'event')} on ${formatCount(days.length, 'day')} of the last year`;
  return (
    <Chart summary={summary} columns={['Day', 'Events']} rows={days}>
      <div ref={ref}>
        {width === 0 ? null : (
          <Drawing counts={counts} lastDate={lastDate} weeks={Math.min(MAX_WEEKS, Math.floor(width / CELL))} />
        )}
      </div>
    </Chart>
  );
}

function Drawing({
  counts,
  lastDate,
  weeks,
}: {
  readonly counts: Readonly<Record<string, number>>;
  readonly lastDate: string;
  readonly weeks: number;
}) {
  const days = listCalendarDays(counts, lastDate, weeks);
  return (
    // The table below has the same numbers for screen readers.
    <svg class="calendar" width={weeks * CELL} height={LABEL_HEIGHT + 7 * CELL} aria-hidden="true">
      {listCalendarMonths(days).map(({ week, label }) => (
        <text key={week} x={week * CELL} y={11}>
          {label}
        </text>
      ))}
      {days.map(({ date, count, level, week, weekday }) => (
        <rect
          key={date}
          class={`level-${level}`}
          x={week * CELL}
          y={LABEL_HEIGHT + weekday * CELL}
          width={CELL - 2}
          height={CELL - 2}
          rx={2}
        >
          <title>
            {formatCount(count, 'event')} on {date}
          </title>
        </rect>
      ))}
    </svg>
  );
}
