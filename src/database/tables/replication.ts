import type { Generated } from 'kysely';

/** The rows of `src/secondary`. */
export interface SecondaryTables {
  geo_registry: GeoRegistryTable;
  geo_position: GeoPositionTable;
  geo_daily_counts: GeoDailyCountsTable;
}

/** One object of the primary, and how far its copy is here. */
interface GeoRegistryTable {
  id: Generated<number>;
  replicable_name: string;
  replicable_id: number;
  /** `leaving`: deleted on the primary or out of scope; the row goes when the copy has gone. */
  state: 'pending' | 'started' | 'synced' | 'failed' | 'leaving';
  verification: 'pending' | 'verified' | 'failed';
  /** Counted up whenever the primary tells of it: what was begun before has not seen all. */
  generation: number;
  /** The last listing of everything that had it. */
  listing: number;
  /** Who has to do something next, at `due_at`; null: nobody, or somebody is at it. */
  pool: 'repository' | 'blob' | 'verification' | 'verified' | null;
  due_at: string;
  /** Failures since it was last right. */
  retries: number;
  /** What went wrong last. */
  error: string | null;
  /** Of a repository: its address below the primary's, without `.git`. */
  path: string | null;
  path_key: string | null;
  /** Where the copy of a repository lies, by the name of a storage. */
  storage: string | null;
  /** Of the copy of a blob, which names its file; of a repository when it was last verified. */
  checksum: string | null;
  synced_at: string | null;
  verified_at: string | null;
  created_at: string;
  updated_at: string;
}

/** How far the primary has been followed: one row, with the id 1. */
interface GeoPositionTable {
  id: number;
  /** The last event that has its row. */
  cursor: number;
  cursor_at: string | null;
  /** The number of the listing that is under way, or was the last. */
  listing: number;
  /** What was selected when everything was listed last; null: never. */
  listed_scope: string | null;
  /** What is selected in the listing under way; null: none is. */
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
