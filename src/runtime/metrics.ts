import { readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { BUILD } from './build.ts';
import { eventLoopDelay } from './event-loop-delay.ts';

/**
 * The metrics of `/-/metrics`. Labels come from short fixed lists (endpoints, job kinds, git commands) and contain no personal
 * data.
 */
export interface Metrics {
  /** Counts a request in progress. Returns the function that ends it. */
  startRequest(): () => void;
  /** Records a completed request. */
  recordRequest(completed: CompletedRequest): void;
  /** Counts a request that the cache of responses could answer, and whether it did. */
  recordResponseCacheRead(outcome: 'hit' | 'miss'): void;
  recordJob(completed: CompletedJob): void;
  recordGitProcess(completed: CompletedGitProcess): void;
  /** Counts parts of a report that were dropped because they are too large. */
  recordDroppedItems(reportKind: 'alert' | 'error', count: number): void;
  /** Counts mails by the outcome of a delivery attempt. */
  recordMails(outcome: MailOutcome, count: number): void;
  /**
   * Adds a gauge whose value `read` returns when metrics are requested, such as the length of the queue. If `read` fails, the
   * gauge is missing from the response, which still has all other metrics.
   */
  addGauge(name: MetricName, help: string, read: ReadSamples, labelNames?: readonly string[]): void;
  /** Adds a counter whose value is counted elsewhere. Otherwise as `addGauge`. */
  addCounter(name: `${MetricName}_total`, help: string, read: ReadSamples, labelNames?: readonly string[]): void;
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format. Concurrent calls share one reading. */
  text(): Promise<string>;
}

type MetricName = `hearth_${string}`;

/** A value of a metric, and its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns the value of a metric without labels, or one sample per combination of labels. */
type ReadSamples = () => number | readonly Sample[] | Promise<number | readonly Sample[]>;

type AddMetric = (name: string, help: string, read: ReadSamples, labelNames?: readonly string[]) => void;

interface CompletedRequest {
  /** The endpoint's name; `none` if no endpoint has the path. */
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

export interface CompletedJob {
  readonly kind: string;
  readonly outcome: 'done' | 'retried' | 'dead';
  readonly seconds: number;
}

export interface CompletedGitProcess {
  readonly command: string;
  readonly outcome: 'ok' | 'failed' | 'killed';
  readonly seconds: number;
}

type MailOutcome = 'sent' | 'retried' | 'failed' | 'skipped';

/** Upper bounds of the histogram buckets for requests, in seconds. Clones and archives take minutes. */
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120];
/** Upper bounds of the histogram buckets for jobs and git processes, in seconds. */
const workBuckets = [0.02, 0.1, 0.5, 2, 10, 60];

/** Statuses of requests that a limit rejected. */
const LIMIT_STATUSES = [429, 503];

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
  const rejectedRequests = new Counter({
    name: 'hearth_http_rejected_requests_total',
    help: 'Number of HTTP requests that a limit rejected: 429 a rate limit, 503 a full queue or a missing resource.',
    labelNames: ['endpoint', 'status'] as const,
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
    help: 'Duration of git processes that served one request, by outcome.',
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
  const responseCacheReads = new Counter({
    name: 'hearth_response_cache_requests_total',
    help: 'Number of requests that the cache of responses answered (hit), and of those that it did not have (miss).',
    labelNames: ['outcome'] as const,
    registers,
  });
  const responseCacheOutcomes = {
    hit: responseCacheReads.labels({ outcome: 'hit' }),
    miss: responseCacheReads.labels({ outcome: 'miss' }),
  };
  const mails = new Counter({
    name: 'hearth_mails_total',
    help: 'Number of mails by the outcome of a delivery attempt; a retried mail counts once per attempt.',
    labelNames: ['outcome'] as const,
    registers,
  });
  let requestsInProgress = 0;
  const addGauge: AddMetric = (name, help, read, labelNames = []) => {
    new Gauge({
      name,
      help,
      registers,
      labelNames,
      async collect() {
        await collectSamples(this, read, ({ labels, value }) => this.set(labels, value));
      },
    });
  };
  const addCounter: AddMetric = (name, help, read, labelNames = []) => {
    new Counter({
      name,
      help,
      registers,
      labelNames,
      async collect() {
        await collectSamples(this, read, ({ labels, value }) => this.inc(labels, value));
      },
    });
  };
  addGauge('hearth_http_requests_in_progress', 'Number of HTTP requests in progress.', () => requestsInProgress);
  new Gauge({
    name: 'hearth_build_info',
    help: 'Version and commit of the build; the value is always 1.',
    labelNames: ['version', 'commit'] as const,
    registers,
  }).set({ version: BUILD.version, commit: BUILD.commit ?? 'unknown' }, 1);
  registerProcessMetrics(addGauge, addCounter);
  registry.registerMetric(eventLoopDelay());
  // Caches each series: the library builds an object and a text from the labels on each lookup.
  const getRequestCounter = memoizeByKey((key) => {
    const [endpoint = '', method = '', status = ''] = key.split(' ');
    return requests.labels({ endpoint, method, status: `${status}xx` });
  });
  const getDurationHistogram = memoizeByKey((endpoint) => requestSeconds.labels({ endpoint }));
  let reading: Promise<string> | undefined;
  return {
    startRequest() {
      requestsInProgress++;
      return () => void requestsInProgress--;
    },
    recordRequest({ endpoint, method, status, seconds }) {
      getRequestCounter(`${endpoint} ${method} ${Math.floor(status / 100)}`).inc();
      getDurationHistogram(endpoint).observe(seconds);
      if (LIMIT_STATUSES.includes(status)) rejectedRequests.inc({ endpoint, status: String(status) });
    },
    recordResponseCacheRead: (outcome) => responseCacheOutcomes[outcome].inc(),
    recordJob: ({ kind, outcome, seconds }) => jobSeconds.observe({ kind, outcome }, seconds),
    recordGitProcess: ({ command, outcome, seconds }) => gitProcessSeconds.observe({ command, outcome }, seconds),
    recordDroppedItems: (kind, count) => droppedItems.inc({ kind }, count),
    recordMails: (outcome, count) => mails.inc({ outcome }, count),
    addGauge,
    addCounter,
    contentType: registry.contentType,
    text() {
      reading ??= registry.metrics().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}

/** Replaces the samples of a metric by those that `read` returns; by none if it fails. */
async function collectSamples(
  metric: { remove(labels: object): void; reset(): void },
  read: ReadSamples,
  add: (sample: Sample) => void,
): Promise<void> {
  metric.reset();
  try {
    const value = await read();
    if (typeof value === 'number') add({ labels: {}, value });
    else for (const sample of value) add(sample);
  } catch {
    // The metric names the unavailable part. The log has the cause.
    metric.remove({});
  }
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
function registerProcessMetrics(addGauge: AddMetric, addCounter: AddMetric): void {
  addCounter('process_cpu_seconds_total', 'Total user and system CPU time in seconds.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
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
  // A counter: the share since the last scrape would depend on who else reads the metrics.
  addCounter(
    'nodejs_event_loop_active_seconds_total',
    'Time in seconds for which the event loop was busy; its rate is the utilization.',
    () => performance.eventLoopUtilization().active / 1000,
  );
}

/** Returns the number of open file descriptors; 0 if the system does not list them. */
async function countOpenFiles(): Promise<number> {
  return readdir('/proc/self/fd').then(
    (names) => names.length,
    () => 0,
  );
}
