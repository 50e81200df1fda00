import type { Generated } from 'kysely';

/** Error tracking: who may report, and what was reported (contract/monitoring.md "Data model"). */
export interface ErrorTrackingTables {
  client_keys: ClientKeysTable;
  error_tracking_settings: ErrorTrackingSettingsTable;
  ingestion_settings: IngestionSettingsTable;
  ingestion_windows: IngestionWindowsTable;
  errors: ErrorsTable;
  error_users: ErrorUsersTable;
  error_environments: ErrorEnvironmentsTable;
  error_hours: ErrorHoursTable;
  error_events: ErrorEventsTable;
  session_buckets: SessionBucketsTable;
  session_states: SessionStatesTable;
}

/** `error` has an exception, `default` is a message alone. */
export type ErrorType = 'error' | 'default';
export type ErrorLevel = 'fatal' | 'error' | 'warning' | 'info' | 'debug';
export type ErrorStatus = 'unresolved' | 'resolved' | 'ignored';
export type SessionBucket = 'exited' | 'errored' | 'crashed' | 'abnormal';

interface ClientKeysTable {
  id: Generated<number>;
  project_id: number;
  public_key: string;
  active: boolean;
  created_at: string;
}

/** None: never set, reports are taken. */
interface ErrorTrackingSettingsTable {
  project_id: number;
  active: boolean;
  integrated: boolean;
  created_at: string;
  updated_at: string;
}

/** None: the defaults of `domain/error-tracking.ts`. */
interface IngestionSettingsTable {
  project_id: number;
  /** Null: as many as come. */
  events_per_minute: number | null;
  retention_days: number;
  created_at: string;
  updated_at: string;
}

/** How many events a project has had stored since the first one of this minute; none: the next one is the first. */
interface IngestionWindowsTable {
  project_id: number;
  started_at: string;
  counted: number;
}

/** Reports that are alike. */
interface ErrorsTable {
  id: Generated<number>;
  project_id: number;
  /** SHA-1 of what makes them alike, 40 hex digits. */
  fingerprint: string;
  type: ErrorType;
  name: string;
  name_key: string;
  /** This and the level are the newest report's. */
  message: string | null;
  message_key: string | null;
  culprit: string | null;
  culprit_key: string | null;
  platform: string;
  level: ErrorLevel;
  status: ErrorStatus;
  event_count: number;
  /** Rows of `error_users`. */
  user_count: number;
  /** The earliest and the latest moment of which reports have spoken. */
  first_seen: string;
  last_seen: string;
  /** When the last report came: the error goes when this one's time is over. */
  last_received_at: string;
}

/** Whom an error has happened to: one row each. */
interface ErrorUsersTable {
  error_id: number;
  user_key: string;
}

/** Where it has happened. */
interface ErrorEnvironmentsTable {
  error_id: number;
  environment: string;
}

/** How often it has happened in an hour; those of the last day are kept. */
interface ErrorHoursTable {
  error_id: number;
  /** The Unix second in which the hour has begun. */
  hour: number;
  event_count: number;
}

interface ErrorEventsTable {
  id: Generated<number>;
  project_id: number;
  error_id: number;
  /** 32 hex digits, lower case: by the sender, and once in a project. */
  event_id: string;
  type: ErrorType;
  level: ErrorLevel;
  message: string | null;
  environment: string | null;
  release: string | null;
  /** Who has logged it, in the words of its program. */
  logger: string | null;
  platform: string;
  /** JSON of `{id,email,username,ip_address}`, each a text or null; null: of nobody. */
  affected_user: string | null;
  /** JSON of an object of texts. */
  tags: string;
  occurred_at: string;
  received_at: string;
  /** As it came, without NUL characters. */
  payload: string;
}

interface SessionBucketsTable {
  project_id: number;
  release: string;
  /** Empty: none was said. */
  environment: string;
  total: number;
  exited: number;
  errored: number;
  crashed: number;
  abnormal: number;
  last_seen: string;
}

/** Where a session is counted that may speak again. */
interface SessionStatesTable {
  project_id: number;
  sid: string;
  release: string;
  environment: string;
  bucket: SessionBucket;
  seq: number | null;
  received_at: string;
}
