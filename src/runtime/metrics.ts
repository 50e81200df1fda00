import { readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BUILD } from './build.ts';

/**
 * The metrics of `/-/metrics`. Labels come from short fixed lists (endpoints, job kinds, git commands) and contain no personal
 * data.
 */
export interface Metrics {
  /** Records a completed request. */
  recordRequest(completed: CompletedRequest): void;
  recordJob(completed: CompletedJob): void;
  recordGitProcess(completed: CompletedGitProcess): void;
  /** Counts parts of a report that were dropped because they are too large. */
  recordDroppedItems(reportKind: 'alert' | 'error', count: number): void;
  /** Adds a gauge whose value `read` returns when metrics are requested, such as the length of the queue. */
  addGauge(name: `hearth_${string}`, help: string, read: () => number | Promise<number>): void;
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>;
}

interface CompletedRequest {
  /** The endpoint's name; `none` if no endpoint has the path. */
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

interface CompletedJob {
  readonly kind: string;
  readonly outcome: 'done' | 'retried' | 'dead';
  readonly seconds: number;
}

interface CompletedGitProcess {
  readonly command: string;
  readonly outcome: 'ok' | 'failed' | 'killed';
  readonly seconds: number;
}

/** Upper bounds of the histogram buckets for requests, in seconds. */
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10];
/** Upper bounds of the histogram buckets for jobs and git processes, in seconds. */
const workBuckets = [0.02, 0.1, 0.5, 2, 10, 60];

/** Creates the metrics of one server; several servers in one process have separate metrics. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'hearth_http_requests_total',
    help: 'Number of HTTP requests.',
    labelNames: ['endpoint', 'method', 'status'] as const,
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'hearth_http_request_duration_seconds',
    help: 'Time from the request line to the end of the response.',
    labelNames: ['endpoint'] as const,
    buckets: requestBuckets,
    registers,
  });
  const jobSeconds = new Histogram({
    name: 'hearth_job_duration_seconds',
    help: 'Duration of background jobs, by outcome.',
    labelNames: ['kind', 'outcome'] as const,
    buckets: workBuckets,
    registers,
  });
  const gitProcessSeconds = new Histogram({
    name: 'hearth_git_child_duration_seconds',
    help: 'Duration of git processes, by outcome.',
    labelNames: ['command', 'outcome'] as const,
    buckets: workBuckets,
    registers,
  });
  const droppedItems = new Counter({
    name: 'hearth_dropped_report_items_total',
    help: 'Number of items of error reports and of alerts that were dropped because they are too large.',
    labelNames: ['kind'] as const,
    registers,
  });
  const addGauge = (name: string, help: string, read: () => number | Promise<number>) => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  };
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'hearth_build_info',
    help: 'Version and commit of the build; the value is always 1.',
    labelNames: ['version', 'commit'] as const,
    registers,
  }).set({ version: BUILD.version, commit: BUILD.commit ?? 'unknown' }, 1);
  registerProcessMetrics(addGauge);
  // Caches each series: the library builds an object and a text from the labels on each lookup.
  const getRequestCounter = memoizeByKey((key) => {
    const [endpoint = '', method = '', status = ''] = key.split(' ');
    return requests.labels({ endpoint, method, status: `${status}xx` });
  });
  const getDurationHistogram = memoizeByKey((endpoint) => requestSeconds.labels({ endpoint }));
  return {
    recordRequest({ endpoint, method, status, seconds }) {
      getRequestCounter(`${endpoint} ${method} ${Math.floor(status / 100)}`).inc();
      getDurationHistogram(endpoint).observe(seconds);
    },
    recordJob: ({ kind, outcome, seconds }) => jobSeconds.observe({ kind, outcome }, seconds),
    recordGitProcess: ({ command, outcome, seconds }) => gitProcessSeconds.observe({ command, outcome }, seconds),
    recordDroppedItems: (kind, count) => droppedItems.inc({ kind }, count),
    addGauge,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Returns a function that caches the result of `create` for each key, without a bound: for few different keys. */
function memoizeByKey<Value>(create: (key: string) => Value): (key: string) => Value {
  const cache = new Map<string, Value>();
  return (key) => {
    const cachedValue = cache.get(key) ?? create(key);
    cache.set(key, cachedValue);
    return cachedValue;
  };
}

/** Adds metrics of the process, read on request: prom-client's default metrics keep a 10 ms timer and an observer running. */
function registerProcessMetrics(
  addGauge: (name: string, help: string, read: () => number | Promise<number>) => void,
): void {
  let lastUtilization = performance.eventLoopUtilization();
  addGauge(
    'process_start_time_seconds',
    'Start time of the process in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );
  addGauge('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss());
  addGauge('process_open_fds', 'Number of open file descriptors; 0 if the system does not report it.', countOpenFiles);
  addGauge('nodejs_heap_used_bytes', 'Used JavaScript heap in bytes.', () => process.memoryUsage().heapUsed);
  addGauge(
    'nodejs_external_memory_bytes',
    'Memory of buffers outside the heap in bytes.',
    () => process.memoryUsage().external,
  );
  addGauge(
    'nodejs_active_resources',
    'Number of resources that keep the event loop alive.',
    () => process.getActiveResourcesInfo().length,
  );
  addGauge('nodejs_event_loop_utilization', 'Share of time the event loop was busy since the last scrape.', () => {
    const previousUtilization = lastUtilization;
    lastUtilization = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(lastUtilization, previousUtilization).utilization;
  });
}

/** Returns the number of open file descriptors; 0 if the system does not list them. */
async function countOpenFiles(): Promise<number> {
  return readdir('/proc/self/fd').then(
    (names) => names.length,
    () => 0,
  );
}
