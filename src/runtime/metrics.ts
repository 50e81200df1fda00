import { readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of `/-/metrics`. Labels come from short fixed lists (endpoints, job kinds, git commands): no personal data. */
export interface Metrics {
  request(done: RequestDone): void;
  job(done: JobDone): void;
  gitChild(done: GitChildDone): void;
  /** Adds a gauge that is read when metrics are requested, such as the length of the queue. */
  gauge(name: `hearth_${string}`, help: string, read: () => number | Promise<number>): void;
  readonly contentType: string;
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>;
}

interface RequestDone {
  /** The endpoint's name; `none` when the path has none. */
  readonly endpoint: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

interface JobDone {
  readonly kind: string;
  readonly outcome: 'done' | 'retried' | 'dead';
  readonly seconds: number;
}

interface GitChildDone {
  readonly command: string;
  readonly outcome: 'ok' | 'failed' | 'killed';
  readonly seconds: number;
}

const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10];
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
  const gitSeconds = new Histogram({
    name: 'hearth_git_child_duration_seconds',
    help: 'Duration of git processes, by outcome.',
    labelNames: ['command', 'outcome'] as const,
    buckets: workBuckets,
    registers,
  });
  const gauge = (name: string, help: string, read: () => number | Promise<number>) => {
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
  registerProcessMetrics(gauge);
  // Caches each series: the library builds an object and a text from the labels on each lookup.
  const countOf = memoizeByKey((key) => {
    const [endpoint = '', method = '', status = ''] = key.split(' ');
    return requests.labels({ endpoint, method, status: `${status}xx` });
  });
  const secondsOf = memoizeByKey((endpoint) => requestSeconds.labels({ endpoint }));
  return {
    request({ endpoint, method, status, seconds }) {
      countOf(`${endpoint} ${method} ${Math.floor(status / 100)}`).inc();
      secondsOf(endpoint).observe(seconds);
    },
    job: ({ kind, outcome, seconds }) => jobSeconds.observe({ kind, outcome }, seconds),
    gitChild: ({ command, outcome, seconds }) => gitSeconds.observe({ command, outcome }, seconds),
    gauge,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Caches the result for each key; only for few different keys. */
function memoizeByKey<Value>(make: (key: string) => Value): (key: string) => Value {
  const cache = new Map<string, Value>();
  return (key) => {
    const cachedValue = cache.get(key) ?? make(key);
    cache.set(key, cachedValue);
    return cachedValue;
  };
}

// prom-client's default metrics keep a timer of 10 ms and an observer running; these are only read on request.
function registerProcessMetrics(
  gauge: (name: string, help: string, read: () => number | Promise<number>) => void,
): void {
  let last = performance.eventLoopUtilization();
  gauge(
    'process_start_time_seconds',
    'Start time of the process in seconds since 1970.',
    () => performance.timeOrigin / 1000,
  );
  gauge('process_resident_memory_bytes', 'Resident memory in bytes.', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Number of open file descriptors; 0 if the system does not report it.', openFiles);
  gauge('nodejs_heap_used_bytes', 'Used JavaScript heap in bytes.', () => process.memoryUsage().heapUsed);
  gauge(
    'nodejs_external_memory_bytes',
    'Memory of buffers outside the heap in bytes.',
    () => process.memoryUsage().external,
  );
  gauge(
    'nodejs_active_resources',
    'Number of resources that keep the event loop alive.',
    () => process.getActiveResourcesInfo().length,
  );
  gauge('nodejs_event_loop_utilization', 'Share of time the event loop was busy since the last scrape.', () => {
    const since = last;
    last = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(last, since).utilization;
  });
}

async function openFiles(): Promise<number> {
  return readdir('/proc/self/fd').then(
    (names) => names.length,
    () => 0,
  );
}
