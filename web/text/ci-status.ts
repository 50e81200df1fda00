/** The statuses of pipelines and jobs as words, shapes and tones: colour is never the only sign of a status. */

export type Tone = 'good' | 'wrong' | 'warning' | 'active' | 'waiting' | 'neutral';

export type Shape =
  | 'check'
  | 'cross'
  | 'warning'
  | 'half'
  | 'pause'
  | 'slash'
  | 'skip'
  | 'play'
  | 'clock'
  | 'dashed'
  | 'dot';

interface StatusLook {
  readonly label: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

const LOOKS: Readonly<Record<string, StatusLook>> = {
  created: { label: 'Created', tone: 'neutral', shape: 'dashed' },
  waiting_for_resource: { label: 'Waiting for resource', tone: 'waiting', shape: 'pause' },
  preparing: { label: 'Preparing', tone: 'waiting', shape: 'pause' },
  waiting_for_callback: { label: 'Waiting for callback', tone: 'waiting', shape: 'pause' },
  pending: { label: 'Pending', tone: 'waiting', shape: 'pause' },
  running: { label: 'Running', tone: 'active', shape: 'half' },
  success: { label: 'Passed', tone: 'good', shape: 'check' },
  failed: { label: 'Failed', tone: 'wrong', shape: 'cross' },
  warning: { label: 'Failed, allowed', tone: 'warning', shape: 'warning' },
  canceling: { label: 'Canceling', tone: 'neutral', shape: 'slash' },
  canceled: { label: 'Canceled', tone: 'neutral', shape: 'slash' },
  skipped: { label: 'Skipped', tone: 'neutral', shape: 'skip' },
  manual: { label: 'Manual', tone: 'neutral', shape: 'play' },
  scheduled: { label: 'Scheduled', tone: 'waiting', shape: 'clock' },
};

/** The statuses that lists can be filtered by, in the order of a pipeline's life. */
export const STATUS_FILTERS = [
  'running',
  'pending',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
  'created',
] as const;

/** Returns the status in the parameters of a list, if there is one. */
export const readStatusFilter = (search: URLSearchParams): (typeof STATUS_FILTERS)[number] | undefined =>
  STATUS_FILTERS.find((status) => status === search.get('status'));

/** The names of the sources of pipelines. */
export const SOURCES = {
  push: 'Push',
  web: 'Web page',
  api: 'API',
  schedule: 'Schedule',
  trigger: 'Trigger token',
  merge_request_event: 'Merge request',
  external: 'External status',
} as const;

/** Returns the description of what started a pipeline; for an unknown source, its name in the API. */
export const describeSource = (source: string): string =>
  SOURCES[source as keyof typeof SOURCES] ?? source.replaceAll('_', ' ');

/** Returns the label of a status; for an unknown one, its name in the API. */
export function describeStatus(status: string): StatusLook {
  return LOOKS[status] ?? { label: status.replaceAll('_', ' '), tone: 'neutral', shape: 'dot' };
}

/** Statuses that cannot change without an action of a user. */
const FINAL_STATUSES: readonly string[] = ['success', 'failed', 'canceled', 'skipped', 'manual'];

/** Returns whether a pipeline or job with this status waits, runs or will run. */
export const isActive = (status: string): boolean => !FINAL_STATUSES.includes(status);

/** Returns `3 passed, 1 failed`: the number of items of each status, the most frequent first. */
export function countStatuses(items: readonly { readonly status: string }[]): string {
  return [...Map.groupBy(items, ({ status }) => describeStatus(status).label)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([label, group]) => `${group.length} ${label.toLowerCase()}`)
    .join(', ');
}
