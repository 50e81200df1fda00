import type { Generated } from 'kysely';

/** Replication sites, their status reports and events (contract/operations.md §3). */
export interface SitesTables {
  geo_sites: GeoSitesTable;
  geo_site_namespaces: GeoSiteNamespacesTable;
  geo_statuses: GeoStatusesTable;
  geo_events: GeoEventsTable;
  geo_checksums: GeoChecksumsTable;
  geo_site_proofs: GeoSiteProofsTable;
}

interface GeoSitesTable {
  id: Generated<number>;
  name: string;
  /** Folded name; unique. */
  name_key: string;
  /** With a trailing slash. */
  url: string;
  /** The internal URL, with a trailing slash; null: the same as `url`. */
  internal_url: string | null;
  /** At most one site is the primary. */
  is_primary: boolean;
  enabled: boolean;
  files_max_capacity: number;
  repos_max_capacity: number;
  verification_max_capacity: number;
  container_repositories_max_capacity: number;
  /** Days. */
  minimum_reverification_interval: number;
  sync_object_storage: boolean;
  /** The type of selective sync; null: everything. */
  selective_sync_type: 'namespaces' | 'shards' | null;
  /** JSON array of the names of storages. */
  selective_sync_shards: string;
  /** Hexadecimal SHA-256 of the site's access key; unique. Null: the site has no credentials. */
  access_key_digest: string | null;
  /** Encrypted. */
  secret_access_key: string | null;
  /** The OAuth application of a secondary; null: for the primary, or after its deletion. */
  oauth_application_id: number | null;
  created_at: string;
  updated_at: string;
}

/** The groups and personal namespaces that a site replicates, with all descendants. */
interface GeoSiteNamespacesTable {
  site_id: number;
  namespace_id: number;
}

/** The last status report of a site. */
interface GeoStatusesTable {
  site_id: number;
  /** JSON of counts by the names of the status document; unreported counts are missing. */
  counts: string;
  status_message: string;
  db_replication_lag_seconds: number | null;
  last_event_id: number | null;
  /** Unix seconds, as `cursor_last_event_timestamp`. */
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

/** Kinds of replicated objects. */
export type ReplicableName =
  | 'project_repository'
  | 'project_wiki_repository'
  | 'group_wiki_repository'
  | 'snippet_repository'
  | 'lfs_object'
  | 'upload'
  | 'job_artifact';

/**
 * Changes of replicated objects. Triggers insert the rows while a secondary exists (migration 0083). Ids become visible in
 * ascending order.
 */
interface GeoEventsTable {
  id: Generated<number>;
  created_at: string;
  event_name: 'created' | 'updated' | 'deleted';
  replicable_name: ReplicableName;
  replicable_id: number;
  /** Whether the location changed, so that sites with selective sync may have to add or remove the object. */
  rescoped: boolean;
}

/** Tokens with which sites have authenticated, until they expire: each token is accepted once. */
interface GeoSiteProofsTable {
  site_id: number;
  /** SHA-256 of the claim `jti`. */
  jti_digest: string;
  expires_at: string;
}

/** Verification data of a repository. */
interface GeoChecksumsTable {
  replicable_name: ReplicableName;
  replicable_id: number;
  /** The version of refs for which the data is valid. */
  version: string;
  /** Null: the repository could not be read. */
  checksum: string | null;
  checked_at: string;
}
