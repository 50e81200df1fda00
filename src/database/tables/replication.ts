import type { Generated } from 'kysely';

/** The rows of `src/replication`. */
export interface SecondaryTables {
  geo_registry: GeoRegistryTable;
  geo_position: GeoPositionTable;
  geo_daily_counts: GeoDailyCountsTable;
}

/** One object of the primary and the state of its copy. */
interface GeoRegistryTable {
  id: Generated<number>;
  replicable_name: string;
  replicable_id: number;
  /** `leaving`: deleted on the primary or out of scope; the row is deleted after the copy. */
  state: 'pending' | 'started' | 'synced' | 'failed' | 'leaving';
  verification: 'pending' | 'verified' | 'failed';
  /** Incremented by each event of the primary: a sync that began earlier may have missed changes. */
  generation: number;
  /** The last complete listing that contained the object. */
  listing: number;
  /** The worker that must act at `due_at`; null: none, or one is working. */
  pool: 'repository' | 'blob' | 'verification' | 'verified' | null;
  due_at: string;
  /** Number of failures since the last success. */
  retries: number;
  /** The last error. */
  error: string | null;
  /** For a repository: its path relative to the primary's URL, without `.git`. */
  path: string | null;
  path_key: string | null;
  /** The storage of the copy of a repository. */
  storage: string | null;
  /** Of the copy of a blob, which names its file; of a repository when it was last verified. */
  checksum: string | null;
  synced_at: string | null;
  verified_at: string | null;
  created_at: string;
  updated_at: string;
}

/** The position in the primary's events: one row with the id 1. */
interface GeoPositionTable {
  id: number;
  /** The last processed event. */
  cursor: number;
  cursor_at: string | null;
  /** The number of the current or last listing. */
  listing: number;
  /** The selection of the last complete listing; null: never. */
  listed_scope: string | null;
  /** The selection of the current listing; null: none is running. */
  listing_scope: string | null;
  listing_name: string | null;
  listing_after_id: number;
  /** All that had happened by then has its row, to the hour; null: it was never so. */
  followed_at: string | null;
}

interface GeoDailyCountsTable {
  day: string;
  name: string;
  count: number;
}
