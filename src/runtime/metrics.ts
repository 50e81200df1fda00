import { readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** What `/-/metrics` tells. Labels come from short fixed lists: endpoint names, job kinds, git commands; no personal data. */
export interface Metrics {
  request(done: RequestDone): void;
  job(done: JobDone): void;
  gitChild(done: GitChildDone): void;
  /** A value that is read when metrics are asked for, such as the length of the queue. */
  gauge(name: `hearth_${string}`, help: string, read: () => number | Promise<number>): void;
  readonly contentType: string;
  /** Everything in Prometheus' text format. */
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

/** Metrics of one server; several in one process don't mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'hearth_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['endpoint', 'method', 'status'] as const,
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'hearth_http_request_duration_seconds',
    help: 'From the request line to the end of the answer.',
    labelNames: ['endpoint'] as const,
    buckets: requestBuckets,
    registers,
  });
  const jobSeconds = new Histogram({
    name: 'hearth_job_duration_seconds',
    help: 'Work of the queue, by how it ended.',
    labelNames: ['kind', 'outcome'] as const,
    buckets: workBuckets,
    registers,
  });
  const gitSeconds = new Histogram({
    name: 'hearth_git_child_duration_seconds',
    help: 'Lives of git processes, by how they ended.',
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
    help: 'User and system CPU time so far.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  describeProcess(gauge);
  // Each series is looked up by its labels once: the library makes an object and a text of them each time.
  const countOf = keyed((key) => {
    const [endpoint = '', method = '', status = ''] = key.split(' ');
    return requests.labels({ endpoint, method, status: `${status}xx` });
  });
  const secondsOf = keyed((endpoint) => requestSeconds.labels({ endpoint }));
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

/** Made once for each key, of which there are few. */
function keyed<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

// prom-client's own set keeps a timer of 10 ms and an observer running; these are read only when asked for.
function describeProcess(gauge: (name: string, help: string, read: () => number | Promise<number>) => void): void {
  let last = performance.eventLoopUtilization();
  gauge('process_start_time_seconds', 'Start of the process, seconds since 1970.', () => performance.timeOrigin / 1000);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Open file descriptors; 0 where the system does not tell.', openFiles);
  gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap.', () => process.memoryUsage().external);
  gauge('nodejs_active_resources', 'What keeps the event loop alive.', () => process.getActiveResourcesInfo().length);
  gauge(
    'nodejs_event_loop_utilization',
    'Share of time the event loop worked since the metrics were last read.',
    () => {
      const since = last;
      last = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(last, since).utilization;
    },
  );
}

async function openFiles(): Promise<number> {
  return readdir('/proc/self/fd').then(
    (names) => names.length,
    () => 0,
  );
}
