import { formatDuration } from '../text/time.ts';
import { listTimeTicks, scale } from './axis.ts';
import { Chart } from './chart.tsx';
import { type Lane, type PlacedBar, placeLanes } from './lanes.ts';
import { Mark } from './marks.tsx';
import { useWidth } from './use-width.ts';

const ROW_HEIGHT = 18;
const NAME_HEIGHT = 18;
const AXIS_HEIGHT = 18;

/** Pixels for the label of a tick. */
const TICK_WIDTH = 76;

/** A chart with one lane per group of events. The length of a bar is the duration of the event. */
export function Swimlanes({
  lanes,
  from,
  to,
  summary,
  laneLabel,
}: {
  readonly lanes: readonly Lane[];
  /** The times of the axis, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly summary: string;
  /** The column heading of the lanes: `Ref`. */
  readonly laneLabel: string;
}) {
  const [ref, width] = useWidth();
  const rows = lanes.flatMap(({ name, bars }) =>
    bars.map((bar) => [
      name,
      <a key="link" href={bar.href}>
        {bar.label}
      </a>,
      bar.state,
      new Date(bar.from).toLocaleString('en'),
      formatDuration((bar.to - bar.from) / 1000),
    ]),
  );
  return (
    <Chart summary={summary} columns={[laneLabel, 'Item', 'State', 'From', 'Duration']} rows={rows}>
      <div ref={ref}>{width === 0 ? null : <Drawing lanes={lanes} from={from} to={to} width={width} />}</div>
    </Chart>
  );
}

function Drawing({
  lanes,
  from,
  to,
  width,
}: {
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  readonly width: number;
}) {
  let y = 0;
  const placed = placeLanes(lanes, from, to, width).map((lane) => {
    const top = y;
    y += NAME_HEIGHT + lane.rowCount * ROW_HEIGHT;
    return { ...lane, top };
  });
  const ticks = listTimeTicks(from, to, Math.max(1, Math.floor(width / TICK_WIDTH)));
  return (
    // The table below has the same links for the keyboard and for screen readers.
    <svg class="swimlanes" width={width} height={y + AXIS_HEIGHT} aria-hidden="true">
      {ticks.map(({ time, label }) => {
        const x = scale(time, from, to, width);
        return (
          <g key={time}>
            <line class="grid" x1={x} x2={x} y1={0} y2={y} />
            <text x={x} y={y + 13} text-anchor={toAnchor(x, width)}>
              {label}
            </text>
          </g>
        );
      })}
      {placed.map(({ name, bars, top }) => (
        <g key={name} transform={`translate(0 ${top})`}>
          <line class="grid" x1={0} x2={width} y1={0.5} y2={0.5} />
          <text class="lane-name" y={13}>
            {shorten(name, width)}
          </text>
          {bars.map((bar) => (
            <BarMark key={bar.bar.href} placed={bar} />
          ))}
        </g>
      ))}
    </svg>
  );
}

function BarMark({ placed: { bar, x, width, row } }: { readonly placed: PlacedBar }) {
  const y = NAME_HEIGHT + row * ROW_HEIGHT;
  return (
    <a href={bar.href} tabindex={-1} class={`bar tone-${bar.tone}`}>
      <title>{`${bar.label}: ${bar.state}`}</title>
      <rect x={x} y={y} width={width} height={ROW_HEIGHT - 4} rx={2} />
      {width < ROW_HEIGHT ? null : (
        <g transform={`translate(${x + 3} ${y + 2}) scale(0.625)`}>
          <Mark shape={bar.shape} />
        </g>
      )}
    </a>
  );
}

function toAnchor(x: number, width: number): 'start' | 'middle' | 'end' {
  if (x < TICK_WIDTH / 2) return 'start';
  return x > width - TICK_WIDTH / 2 ? 'end' : 'middle';
}

/** Returns the beginning of a name that fits; a character of 11 px is about 6.5 px wide. */
function shorten(name: string, width: number): string {
  const length = Math.floor(width / 6.5);
  return name.length <= length ? name : `${name.slice(0, length - 1)}…`;
}
