import type { Generated } from 'kysely';

/** Replication sites, what they have said of themselves, and what they are told (contract/operations.md §3). */
export interface SitesTables {
  geo_sites: GeoSitesTable;
  geo_site_namespaces: GeoSiteNamespacesTable;
  geo_statuses: GeoStatusesTable;
  geo_events: GeoEventsTable;
  geo_checksums: GeoChecksumsTable;
}

interface GeoSitesTable {
  id: Generated<number>;
  name: string;
  /** Folded; unique. */
  name_key: string;
  /** With one slash at its end. */
  url: string;
  /** The same; null: the url. */
  internal_url: string | null;
  /** One site at most. */
  is_primary: boolean;
  enabled: boolean;
  files_max_capacity: number;
  repos_max_capacity: number;
  verification_max_capacity: number;
  container_repositories_max_capacity: number;
  /** Days. */
  minimum_reverification_interval: number;
  sync_object_storage: boolean;
  /** What it holds a part of; null: all. */
  selective_sync_type: 'namespaces' | 'shards' | null;
  /** JSON array of the names of storages. */
  selective_sync_shards: string;
  /** Hexadecimal SHA-256 of its access key; unique. null: it has no credentials. */
  access_key_digest: string | null;
  /** Encrypted. */
  secret_access_key: string | null;
  /** Of a secondary; null: somebody has removed it. */
  oauth_application_id: number | null;
  created_at: string;
  updated_at: string;
}

/** The groups (and personal namespaces) that a site holds, with all below them. */
interface GeoSiteNamespacesTable {
  site_id: number;
  namespace_id: number;
}

/** The last report of a site. */
interface GeoStatusesTable {
  site_id: number;
  /** JSON: what was counted, by the names of the status document; a count that wasn't reported is not in it. */
  counts: string;
  status_message: string;
  db_replication_lag_seconds: number | null;
  last_event_id: number | null;
  /** Whole seconds since 1970, as is the next. */
  last_event_timestamp: number | null;
  cursor_last_event_id: number | null;
  cursor_last_event_timestamp: number | null;
  version: string | null;
  revision: string | null;
  /** SHA-256 of the names of its storages. */
  storage_configuration_digest: string | null;
  last_successful_status_check_at: string;
  updated_at: string;
}

/** All that has a copy at other sites. */
export type ReplicableName =
  | 'project_repository'
  | 'project_wiki_repository'
  | 'group_wiki_repository'
  | 'snippet_repository'
  | 'lfs_object'
  | 'upload'
  | 'job_artifact';

/**
 * What happened to what is replicated, while there is a secondary: triggers write it (migration 0083), whoever makes the
 * change. Its ids become visible in their order.
 */
interface GeoEventsTable {
  id: Generated<number>;
  created_at: string;
  event_name: 'created' | 'updated' | 'deleted';
  replicable_name: ReplicableName;
  replicable_id: number;
  /** It stands somewhere else now, so that sites which hold a part may have to take or to drop it. */
  rescoped: boolean;
}

/** What the queue has found of a repository. */
interface GeoChecksumsTable {
  replicable_name: ReplicableName;
  replicable_id: number;
  /** The version of refs that it was read at: it counts for as long as the repository has this one. */
  version: string;
  /** null: it could not be read. */
  checksum: string | null;
  checked_at: string;
}
