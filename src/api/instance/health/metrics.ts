import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import type { Metrics, Sample } from '#runtime/metrics.ts';
import { loadJobCounts, loadMailCounts } from './store.ts';

type MeasuredServices = Pick<Services, 'config' | 'clock' | 'database' | 'git'>;

/** Adds the metrics that are read when metrics are requested: database, background jobs, mails, git processes, file systems. */
export function addServerMetrics(metrics: Metrics, services: MeasuredServices): void {
  addDatabaseMetrics(metrics, services.database);
  addJobMetrics(metrics, services);
  addMailMetrics(metrics, services);
  metrics.addGauge(
    'hearth_git_children',
    'Number of running git processes, with those that serve many requests.',
    () => countBy([...services.git.processes.children], 'command'),
    ['command'],
  );
  addDiskMetrics(metrics, services);
}

function addDatabaseMetrics(metrics: Metrics, database: Database): void {
  const { activity } = database;
  metrics.addGauge('hearth_database_up', 'Whether the database answers a query: 1 or 0.', () =>
    sql`select 1`.execute(database.reader).then(
      () => 1,
      () => 0,
    ),
  );
  const listTotals = (value: 'count' | 'seconds') => () =>
    Object.entries(activity.totals).map(([work, total]) => ({ labels: { work }, value: total[value] }));
  metrics.addCounter(
    'hearth_database_work_total',
    'Number of statements outside of transactions (read, list, scan), transactions, and waits before them.',
    listTotals('count'),
    ['work'],
  );
  metrics.addCounter(
    'hearth_database_work_seconds_total',
    'Time in seconds that this work took. Statements that a cache answers do not count.',
    listTotals('seconds'),
    ['work'],
  );
  metrics.addCounter(
    'hearth_query_cache_requests_total',
    'Number of statements that the cache of query results answered (hit) and passed on (miss).',
    () => [
      { labels: { outcome: 'hit' }, value: database.cacheCounts.hits },
      { labels: { outcome: 'miss' }, value: database.cacheCounts.misses },
    ],
    ['outcome'],
  );
  metrics.addGauge(
    'hearth_database_transactions',
    'Number of transactions that are open, and of those that wait for a lock or a connection.',
    () => [
      { labels: { state: 'open' }, value: activity.openTransactions },
      { labels: { state: 'waiting' }, value: activity.waitingTransactions },
    ],
    ['state'],
  );
  metrics.addGauge(
    'hearth_database_connections',
    'Number of connections to PostgreSQL that are used and idle, and of statements that wait for one; none on SQLite.',
    () => Object.entries(database.getConnections() ?? {}).map(([state, value]) => ({ labels: { state }, value })),
    ['state'],
  );
}

/** Adds the queue of all processes: each process that is asked returns the same values. */
function addJobMetrics(metrics: Metrics, { clock, database }: MeasuredServices): void {
  const load = shareReading(() => loadJobCounts(database.reader, timestamp(clock)));
  metrics.addGauge(
    'hearth_jobs',
    'Number of background jobs by kind: due, scheduled for later, running, or dead after their last attempt.',
    async () => (await load()).map(({ kind, state, count }) => ({ labels: { kind, state }, value: count })),
    ['kind', 'state'],
  );
  metrics.addGauge(
    'hearth_job_oldest_due_seconds',
    'Time in seconds for which the oldest due job of a kind has been due.',
    async () => {
      const now = clock.now().getTime();
      const dueCounts = (await load()).filter(({ state }) => state === 'due');
      return dueCounts.map(({ kind, oldest }) => ({ labels: { kind }, value: secondsBetween(oldest, now) }));
    },
    ['kind'],
  );
}

function addMailMetrics(metrics: Metrics, { clock, database }: MeasuredServices): void {
  const load = shareReading(() => loadMailCounts(database.reader));
  metrics.addGauge(
    'hearth_mails_waiting',
    'Number of mails that wait for their delivery, or for their next attempt.',
    async () => (await load()).count,
  );
  metrics.addGauge(
    'hearth_mail_oldest_due_seconds',
    'Time in seconds for which the oldest mail has been due; 0 if none is.',
    async () => {
      const { oldest } = await load();
      return oldest === null ? 0 : secondsBetween(oldest, clock.now().getTime());
    },
  );
}

/** Adds the size and free space of the file system of each directory that Hearth writes to. */
function addDiskMetrics(metrics: Metrics, { config }: MeasuredServices): void {
  const directories = new Map([
    ['data', config.dataDir],
    ['blobs', config.blobsDir],
    ...Object.entries(config.storages).map(([name, { path }]) => [`storage ${name}`, path] as const),
  ]);
  const listSamples = async (measure: 'bavail' | 'blocks'): Promise<Sample[]> => {
    const samples = [...directories].map(async ([directory, path]) => {
      // The directory of blobs is created with the first blob.
      const fileSystem = await statfs(path).catch(() => statfs(dirname(path)).catch(() => null));
      return fileSystem === null ? [] : [{ labels: { directory }, value: fileSystem[measure] * fileSystem.bsize }];
    });
    return (await Promise.all(samples)).flat();
  };
  metrics.addGauge(
    'hearth_disk_free_bytes',
    'Free bytes of the file system of the data directory, the blobs and each storage; missing if it cannot be read.',
    () => listSamples('bavail'),
    ['directory'],
  );
  metrics.addGauge('hearth_disk_size_bytes', 'Size of that file system.', () => listSamples('blocks'), ['directory']);
}

function countBy<Key extends string>(items: readonly Readonly<Record<Key, string>>[], key: Key): Sample[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item[key], (counts.get(item[key]) ?? 0) + 1);
  return [...counts].map(([label, value]) => ({ labels: { [key]: label }, value }));
}

const secondsBetween = (start: string, now: number): number => Math.max(0, (now - Date.parse(start)) / 1000);

/** Returns a function that shares a running call: metrics that need the same rows read them once. */
function shareReading<Result>(load: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  return () => {
    reading ??= load().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
