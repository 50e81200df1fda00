import type { Generated } from 'kysely';

/** Direct transfer imports from another server: their progress and failures (contract/operations.md §1). */
export interface BulkImportsTables {
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
  /** The requested URL without user info. */
  source_url: string;
  has_failures: Generated<boolean>;
  created_at: string;
  /** Updated by all progress: an import without progress for a day is cancelled. */
  updated_at: string;
  /** End of the import; its secrets are deleted a day later. */
  ended_at: string | null;
}

/** URL and credentials of the source: encrypted, and deleted a day after the end of the import. */
interface BulkImportConfigurationsTable {
  bulk_import_id: number;
  encrypted_url: string;
  encrypted_token: string;
}

/** One imported group or project. */
interface BulkImportEntitiesTable {
  id: Generated<number>;
  bulk_import_id: number;
  /** The user of the import, copied for the index of a user's entities. */
  user_id: number;
  /** The entity of the parent group that contains this entity; null: the request named this entity. */
  parent_id: number | null;
  source_type: EntityType;
  source_full_path: string;
  /** Id on the source; null until its first response. */
  source_id: number | null;
  destination_namespace: string;
  destination_slug: string;
  /** The created group. */
  namespace_id: number | null;
  /** The created project. */
  project_id: number | null;
  migrate_projects: boolean;
  migrate_memberships: boolean;
  status: BulkImportState;
  has_failures: Generated<boolean>;
  created_at: string;
  updated_at: string;
}

/** The progress of one relation of an entity. */
interface BulkImportTrackersTable {
  id: Generated<number>;
  entity_id: number;
  relation: string;
  /** Position in the order of the relations. */
  stage: number;
  status: TrackerState;
  /** The page to fetch next; null: none was fetched yet. */
  next_page: number | null;
  source_count: Generated<number>;
  fetched_count: Generated<number>;
  imported_count: Generated<number>;
  /** The request that must be retried, relative to `/api/v4`. */
  retried_call: string | null;
  /** Number of attempts of `retried_call`. */
  retries: Generated<number>;
}

/** Imported objects, so that a repeated request creates nothing twice. */
interface BulkImportObjectsTable {
  bulk_import_id: number;
  entity_id: number;
  kind: string;
  source_key: string;
  local_id: number;
}

/** Maps users of the source to local users, resolved once per import. */
interface BulkImportUsersTable {
  bulk_import_id: number;
  source_user_id: number;
  /** Null: no local user matches. */
  user_id: number | null;
}

/** An epic whose parent is not imported yet. */
interface BulkImportAwaitedEpicsTable {
  bulk_import_id: number;
  /** Id of the parent on the source. */
  source_id: number;
  epic_id: number;
}

/** Objects that could not be imported. */
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
