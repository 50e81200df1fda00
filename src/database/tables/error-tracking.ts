import type { Generated } from 'kysely';

/** Error tracking: client keys and reported errors (contract/monitoring.md "Data model"). */
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

/** Type of a report: `error` with an exception, `default` with a message only. */
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

/** Error tracking settings of a project. Without a row, none were set and reports are accepted. */
interface ErrorTrackingSettingsTable {
  project_id: number;
  active: boolean;
  integrated: boolean;
  created_at: string;
  updated_at: string;
}

/** Ingestion limits of a project. Without a row, the defaults of `domain/error-tracking.ts` apply. */
interface IngestionSettingsTable {
  project_id: number;
  /** Null: unlimited. */
  events_per_minute: number | null;
  retention_days: number;
  created_at: string;
  updated_at: string;
}

/** Number of events that a project has stored in the current minute. Without a row, the number is 0. */
interface IngestionWindowsTable {
  project_id: number;
  started_at: string;
  counted: number;
}

/** Errors: groups of similar reports. */
interface ErrorsTable {
  id: Generated<number>;
  project_id: number;
  /** SHA-1 fingerprint of the group, 40 hexadecimal digits. */
  fingerprint: string;
  type: ErrorType;
  name: string;
  name_key: string;
  /** From the newest report, as the level. */
  message: string | null;
  message_key: string | null;
  culprit: string | null;
  culprit_key: string | null;
  platform: string;
  level: ErrorLevel;
  status: ErrorStatus;
  event_count: number;
  /** Number of rows of `error_users`. */
  user_count: number;
  /** Earliest and latest time that the reports state. */
  first_seen: string;
  last_seen: string;
  /** Time of the last report; the error is deleted when the retention period after it ends. */
  last_received_at: string;
}

/** Users that an error has affected. */
interface ErrorUsersTable {
  error_id: number;
  user_key: string;
}

/** Environments in which an error was reported. */
interface ErrorEnvironmentsTable {
  error_id: number;
  environment: string;
}

/** Number of events per hour of the last day. */
interface ErrorHoursTable {
  error_id: number;
  /** Start of the hour as Unix seconds. */
  hour: number;
  event_count: number;
}

interface ErrorEventsTable {
  id: Generated<number>;
  project_id: number;
  error_id: number;
  /** 32 lower-case hexadecimal digits from the sender; unique per project. */
  event_id: string;
  type: ErrorType;
  level: ErrorLevel;
  message: string | null;
  environment: string | null;
  release: string | null;
  /** The logger name from the sender. */
  logger: string | null;
  platform: string;
  /** JSON of `{id,email,username,ip_address}`, each a text or null; null: no user. */
  affected_user: string | null;
  /** JSON of an object of texts. */
  tags: string;
  occurred_at: string;
  received_at: string;
  /** The payload as received, without NUL characters. */
  payload: string;
}

/** Session counts by release and environment. */
interface SessionBucketsTable {
  project_id: number;
  release: string;
  /** Empty if not specified. */
  environment: string;
  total: number;
  exited: number;
  errored: number;
  crashed: number;
  abnormal: number;
  last_seen: string;
}

/** Sessions that may report again, with the bucket in which each is counted. */
interface SessionStatesTable {
  project_id: number;
  sid: string;
  release: string;
  environment: string;
  bucket: SessionBucket;
  seq: number | null;
  received_at: string;
}
