import { formatCount } from '../text/names.ts';
import { listTimeTicks, scale } from './axis.ts';
import { type BurnUpDay, type CountedIssue, countByDay } from './burn-up-days.ts';
import { Chart } from './chart.tsx';
import { useWidth } from './use-width.ts';

const HEIGHT = 140;
const AXIS_HEIGHT = 18;

/** Pixels for the label of a tick. */
const TICK_WIDTH = 76;

/** The longest time that the axis shows, two years: a due date may be any day. */
const MAX_AXIS_MS = 2 * 366 * 86_400_000;

/** A chart of the numbers of issues and of closed issues by day. Nothing is shown before the second day. */
export function BurnUp({
  issues,
  start,
  end,
}: {
  readonly issues: readonly CountedIssue[];
  /** The first and last day of the plan; null if it has none. */
  readonly start: string | null;
  readonly end: string | null;
}) {
  const days = countByDay(issues, start, Date.now());
  return days.length < 2 ? null : <Days days={days} end={end} />;
}

function Days({ days, end }: { readonly days: readonly BurnUpDay[]; readonly end: string | null }) {
  const [ref, width] = useWidth();
  const [first, last] = [days[0]!, days.at(-1)!];
  const planned = Math.min(end === null ? 0 : Date.parse(end), first.time + MAX_AXIS_MS);
  const changes = days.filter(
    ({ total, closed }, index) => total !== days[index - 1]?.total || closed !== days[index - 1]?.closed,
  );
  return (
    <Chart
      summary={`${formatCount(last.total, 'issue')} (dashed line), of which ${last.closed} closed (solid line), by day`}
      columns={['Day', 'Issues', 'Closed']}
      rows={changes.map(({ time, total, closed }) => [new Date(time).toISOString().slice(0, 10), total, closed])}
    >
      <div ref={ref}>
        {width === 0 ? null : <Drawing days={days} to={Math.max(last.time, planned)} width={width} />}
      </div>
    </Chart>
  );
}

function Drawing({
  days,
  to,
  width,
}: {
  readonly days: readonly BurnUpDay[];
  /** The end of the axis, in milliseconds since 1970. */
  readonly to: number;
  readonly width: number;
}) {
  const from = days[0]!.time;
  const max = Math.max(...days.map(({ total }) => total));
  const toY = (count: number) => HEIGHT - scale(count, 0, max, HEIGHT - 16);
  const draw = (read: (day: BurnUpDay) => number) =>
    days
      .map((day, index) => {
        const [x, y] = [scale(day.time, from, to, width).toFixed(1), toY(read(day)).toFixed(1)];
        return index === 0 ? `M${x} ${y}` : `H${x}V${y}`;
      })
      .join('');
  return (
    <svg class="burn-up" width={width} height={HEIGHT + AXIS_HEIGHT} aria-hidden="true">
      {listTimeTicks(from, to, Math.max(1, Math.floor(width / TICK_WIDTH))).map(({ time, label }) => {
        const x = scale(time, from, to, width);
        return (
          <g key={time}>
            <line class="grid" x1={x} x2={x} y1={0} y2={HEIGHT} />
            <text x={x} y={HEIGHT + 13} text-anchor={x < TICK_WIDTH / 2 ? 'start' : x > width - 38 ? 'end' : 'middle'}>
              {label}
            </text>
          </g>
        );
      })}
      <text x={0} y={10}>
        {max}
      </text>
      <path class="burn-up-total" d={draw(({ total }) => total)} />
      <path class="burn-up-closed" d={draw(({ closed }) => closed)} />
    </svg>
  );
}
