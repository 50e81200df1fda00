import type { Generated } from 'kysely';

/** Tables of `src/replication`: the state of a secondary. */
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
  /** The worker pool that must process the object at `due_at`; null: none, or a worker is processing it. */
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
  /** For a blob: the checksum of the copy, which is its file name. For a repository: the checksum of the last verification. */
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
  /** Selective sync scope of the last complete listing; null: none was completed. */
  listed_scope: string | null;
  /** Selective sync scope of the current listing; null: none is running. */
  listing_scope: string | null;
  /** Cursor of the current listing: the kind of objects, and the id after which it continues. */
  listing_name: string | null;
  listing_after_id: number;
  /** Time, accurate to the hour, until which all events of the primary are processed; null: never. */
  followed_at: string | null;
}

/** Counts per day, for statistics. */
interface GeoDailyCountsTable {
  day: string;
  name: string;
  count: number;
}
