import type { Generated } from 'kysely';

/** The durable queue: one row is one piece of work that is still to be done, or was given up. */
interface BackgroundJobsTable {
  id: Generated<number>;
  kind: string;
  /** JSON. */
  payload: string;
  /** Not before this moment. */
  run_at: string;
  /** How often it was begun. */
  attempts: Generated<number>;
  /** While it is running: until when its runner may be believed to live. */
  lease_until: string | null;
  lease_owner: string | null;
  /** At most one waiting job of a kind has this key. */
  key: string | null;
  state: Generated<'pending' | 'dead'>;
  /** Of the latest failure, redacted. */
  last_error: string | null;
  created_at: string;
}

/** When each recurring job is due next. */
interface SchedulesTable {
  name: string;
  /** The expression `next_run_at` was computed from. */
  cron: string;
  next_run_at: string;
}

/** Counters that are locked until the end of the transaction that takes a value: ids of feeds, without gaps in time. */
interface CountersTable {
  name: string;
  value: number;
}

export interface BackgroundTables {
  background_jobs: BackgroundJobsTable;
  schedules: SchedulesTable;
  counters: CountersTable;
}
