import type { Generated } from 'kysely';

/** The durable job queue: one row per waiting, running or dead job. */
interface BackgroundJobsTable {
  id: Generated<number>;
  kind: string;
  /** JSON. */
  payload: string;
  /** Earliest time of the next attempt. */
  run_at: string;
  /** Number of attempts. */
  attempts: Generated<number>;
  /** End of the lease; null unless the job is running. */
  lease_until: string | null;
  lease_owner: string | null;
  /** Number of processes that died while they ran the job. */
  process_deaths: Generated<number>;
  /** Deduplication key: at most one waiting job of a kind has this key. */
  key: string | null;
  state: Generated<'pending' | 'dead'>;
  /** The latest error, redacted. */
  last_error: string | null;
  created_at: string;
}

/** The next run time of each schedule. */
interface SchedulesTable {
  name: string;
  /** The cron expression from which `next_run_at` was computed. */
  cron: string;
  next_run_at: string;
}

/** Counters that stay locked until the end of the transaction, so that their values become visible in order. */
interface CountersTable {
  name: string;
  value: number;
}

export interface JobsTables {
  background_jobs: BackgroundJobsTable;
  schedules: SchedulesTable;
  counters: CountersTable;
}
