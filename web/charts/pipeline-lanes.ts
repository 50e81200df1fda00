import { countStatuses, describeStatus, isActive } from '../text/ci-status.ts';
import { formatCount } from '../text/names.ts';
import { formatDuration } from '../text/time.ts';
import type { Lane } from './lanes.ts';

/** The fields of a pipeline that the chart shows. */
interface ChartedPipeline {
  readonly id: number;
  readonly ref: string;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly web_url: string;
}

/** Lanes of a chart; pipelines of further refs are only in the list. */
const MAX_LANES = 8;

interface PipelineChart {
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  readonly summary: string;
}

const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** Returns the lanes of a list of pipelines, one for each ref, with the most recent first. Null for an empty list. */
export function chartPipelines(pipelines: readonly ChartedPipeline[], now: number): PipelineChart | null {
  if (pipelines.length === 0) return null;
  const newestFirst = [...pipelines].sort((a, b) => b.id - a.id);
  const refs = [...Map.groupBy(newestFirst, ({ ref }) => ref)];
  const shownRefs = refs.slice(0, MAX_LANES);
  const lanes = shownRefs.map(([name, group]): Lane => ({ name, bars: group.map((pipeline) => toBar(pipeline, now)) }));
  const bars = lanes.flatMap(({ bars }) => bars);
  const from = Math.min(...bars.map((bar) => bar.from));
  const to = Math.max(...bars.map((bar) => bar.to), from + 10_000);
  const charted = shownRefs.flatMap(([, group]) => group);
  const others = refs.length - shownRefs.length;
  const summary = [
    `${formatCount(charted.length, 'pipeline')} of ${formatCount(shownRefs.length, 'ref')}`,
    `from ${dateFormat.format(from)} to ${dateFormat.format(to)}: ${countStatuses(charted)}.`,
    ...(others === 0 ? [] : [`Without those of ${formatCount(others, 'other ref')}.`]),
  ].join(' ');
  return { lanes, from, to, summary };
}

/** A pipeline lasts from its creation to its last change, or until now while it is active. */
function toBar({ id, status, created_at, updated_at, web_url }: ChartedPipeline, now: number): Lane['bars'][number] {
  const { label, tone, shape } = describeStatus(status);
  const from = Date.parse(created_at);
  const to = Math.max(from, isActive(status) ? now : Date.parse(updated_at));
  return { from, to, label: `#${id}`, state: label, tone, shape, href: web_url };
}

/** Returns the seconds that the last finished pipelines took, the oldest first, and a sentence about them. */
export function summarizeDurations(
  pipelines: readonly ChartedPipeline[],
): { readonly seconds: readonly number[]; readonly summary: string } | null {
  const seconds = pipelines
    .filter(({ status }) => status === 'success' || status === 'failed')
    .sort((a, b) => a.id - b.id)
    .map(({ created_at, updated_at }) => Math.max(0, (Date.parse(updated_at) - Date.parse(created_at)) / 1000));
  if (seconds.length < 2) return null;
  const sorted = [...seconds].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  const range = `${formatDuration(sorted[0]!)} to ${formatDuration(sorted.at(-1)!)}`;
  return {
    seconds,
    summary: `The last ${seconds.length} that finished took ${range}, in the median ${formatDuration(median)}.`,
  };
}
