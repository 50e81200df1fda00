import type { Generated } from 'kysely';

/** Migration by direct transfer: what is copied from another server, how far it has come, and what failed of it (contract/operations.md §1). */
export interface MigrationsTables {
  bulk_imports: BulkImportsTable;
  bulk_import_configurations: BulkImportConfigurationsTable;
  bulk_import_entities: BulkImportEntitiesTable;
  bulk_import_trackers: BulkImportTrackersTable;
  bulk_import_objects: BulkImportObjectsTable;
  bulk_import_users: BulkImportUsersTable;
  bulk_import_failures: BulkImportFailuresTable;
  bulk_import_awaited_epics: BulkImportAwaitedEpicsTable;
}

export const BULK_IMPORT_STATES = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
export type BulkImportState = (typeof BULK_IMPORT_STATES)[number];

export const TRACKER_STATES = [
  'created',
  'enqueued',
  'started',
  'finished',
  'failed',
  'skipped',
  'timeout',
  'canceled',
] as const;
export type TrackerState = (typeof TRACKER_STATES)[number];

export const ENTITY_TYPES = ['group_entity', 'project_entity'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

interface BulkImportsTable {
  id: Generated<number>;
  user_id: number;
  status: BulkImportState;
  source_version: string | null;
  source_enterprise: boolean | null;
  /** The given URL without user info. */
  source_url: string;
  has_failures: Generated<boolean>;
  created_at: string;
  /** Moves with all progress: what stands still for a day is given up. */
  updated_at: string;
  /** From here on the secrets are kept for a day. */
  ended_at: string | null;
}

/** How the source is reached; encrypted, and gone a day after the import has ended. */
interface BulkImportConfigurationsTable {
  bulk_import_id: number;
  encrypted_url: string;
  encrypted_token: string;
}

/** One group or project that is copied. */
interface BulkImportEntitiesTable {
  id: Generated<number>;
  bulk_import_id: number;
  /** The import's user again: his entities of all imports are a list. */
  user_id: number;
  /** The group whose relation has named it; null: the request has. */
  parent_id: number | null;
  source_type: EntityType;
  source_full_path: string;
  /** As the source says when its first call is answered. */
  source_id: number | null;
  destination_namespace: string;
  destination_slug: string;
  /** The group that it has become. */
  namespace_id: number | null;
  /** The project that it has become. */
  project_id: number | null;
  migrate_projects: boolean;
  migrate_memberships: boolean;
  status: BulkImportState;
  has_failures: Generated<boolean>;
  created_at: string;
  updated_at: string;
}

/** How far a relation of an entity has come. */
interface BulkImportTrackersTable {
  id: Generated<number>;
  entity_id: number;
  relation: string;
  /** Relations go in this order. */
  stage: number;
  status: TrackerState;
  /** The page that is open; null: none was asked for yet. */
  next_page: number | null;
  source_count: Generated<number>;
  fetched_count: Generated<number>;
  imported_count: Generated<number>;
  /** The call, below `/api/v4`, that has to be tried again, and how often it was. */
  retried_call: string | null;
  retries: Generated<number>;
}

/** What was stored: nothing is stored twice, whatever is asked for again. */
interface BulkImportObjectsTable {
  bulk_import_id: number;
  entity_id: number;
  kind: string;
  source_key: string;
  local_id: number;
}

/** Who the users of the source are here, asked once in an import. */
interface BulkImportUsersTable {
  bulk_import_id: number;
  source_user_id: number;
  /** Null: nobody here. */
  user_id: number | null;
}

/** An epic whose parent has not come yet. */
interface BulkImportAwaitedEpicsTable {
  bulk_import_id: number;
  /** The source's id of the parent. */
  source_id: number;
  epic_id: number;
}

/** What could not be copied. */
interface BulkImportFailuresTable {
  id: Generated<number>;
  entity_id: number;
  relation: string;
  step: string;
  exception_class: string;
  exception_message: string;
  correlation_id: string;
  source_url: string | null;
  source_title: string | null;
  created_at: string;
}
