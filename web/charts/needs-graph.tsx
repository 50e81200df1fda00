import { describeStatus } from '../text/ci-status.ts';
import { formatCount } from '../text/names.ts';
import { Chart } from './chart.tsx';
import { Mark } from './marks.tsx';
import { layoutNeeds, type NeedingJob } from './needs-layout.ts';
import { useWidth } from './use-width.ts';

interface GraphJob extends NeedingJob {
  readonly name: string;
  readonly status: string;
  readonly href: string;
}

const ROW_HEIGHT = 24;
const MARK = 14;

/** The number of parallel lines that fit between two steps. */
const LINES = 4;

/** Which jobs wait for which: one row for each job, and a line from each job that it needs. */
export function NeedsGraph({ jobs }: { readonly jobs: readonly GraphJob[] }) {
  const [ref, width] = useWidth();
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const { edges, maxDepth } = layoutNeeds(jobs);
  const rows = jobs.map(({ name, href, needs }) => [
    <a key="link" href={href}>
      {name}
    </a>,
    needs === null
      ? 'all jobs of earlier stages'
      : needs.map((id) => byId.get(id)?.name ?? `#${id}`).join(', ') || 'nothing',
  ]);
  const summary = `${formatCount(jobs.length, 'job')} in ${formatCount(maxDepth + 1, 'step')}, ${formatCount(edges.length, 'need')}.`;
  return (
    <Chart summary={summary} columns={['Job', 'Waits for']} rows={rows}>
      <div ref={ref}>{width === 0 ? null : <Drawing jobs={jobs} width={width} />}</div>
    </Chart>
  );
}

function Drawing({ jobs, width }: { readonly jobs: readonly GraphJob[]; readonly width: number }) {
  const { rows, edges, maxDepth } = layoutNeeds(jobs);
  const step = Math.min(30, Math.max(16, (width / 2 - MARK) / Math.max(1, maxDepth)));
  const xOf = (row: number) => MARK / 2 + 1 + rows[row]!.depth * step;
  const yOf = (row: number) => ROW_HEIGHT / 2 + row * ROW_HEIGHT;
  const textX = MARK + maxDepth * step + 10;
  const length = Math.max(8, Math.floor((width - textX) / 6.5));
  return (
    <svg class="needs" width={width} height={rows.length * ROW_HEIGHT} aria-hidden="true">
      {edges.map(({ from, to }) => (
        <path key={`${from}-${to}`} d={drawEdge(xOf(from), yOf(from), xOf(to), yOf(to), from % LINES)} />
      ))}
      {rows.map(({ job: { id, name, status, href } }, row) => {
        const { tone, shape, label } = describeStatus(status);
        return (
          <a key={id} href={href} tabindex={-1}>
            <title>{`${name}: ${label}`}</title>
            <g
              class={`tone-${tone}`}
              transform={`translate(${xOf(row) - MARK / 2} ${yOf(row) - MARK / 2}) scale(0.875)`}
            >
              <circle class="needs-ground" cx={8} cy={8} r={7} />
              <Mark shape={shape} />
            </g>
            <text x={textX} y={yOf(row) + 4}>
              {name.length <= length ? name : `${name.slice(0, length - 1)}…`}
            </text>
          </a>
        );
      })}
    </svg>
  );
}

/**
 * Returns the line from the right of a job down to the left of a job that needs it. Lines from the same job share their beginning;
 * those of jobs below each other are `line` steps apart.
 */
function drawEdge(x1: number, y1: number, x2: number, y2: number, line: number): string {
  const start = x1 + MARK / 2;
  const turn = start + 2 + line * 3;
  const end = x2 - MARK / 2;
  return `M${start} ${y1}H${turn}V${y2 - 4}Q${turn} ${y2} ${Math.min(turn + 3, end)} ${y2}H${end}`;
}
