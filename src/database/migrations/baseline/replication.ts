import { ddl, type EngineSql } from '#database/ddl.ts';
import { insertTrigger } from '#database/triggers.ts';

/** Condition of all event triggers: without a secondary, no events are written. */
const HAS_SECONDARY = 'exists (select 1 from geo_sites where not is_primary)';
/** Condition of events about moved objects, which matter only to sites with selective sync. */
const HAS_SELECTIVE_SYNC = 'exists (select 1 from geo_sites where selective_sync_type is not null)';

const INSERT_EVENTS = 'insert into geo_events (created_at, event_name, replicable_name, replicable_id, rescoped)';

/** Creates the trigger that writes one event. */
function eventTrigger({
  name,
  after,
  when = HAS_SECONDARY,
  event: [eventName, replicable, id],
  rescoped = 'false',
}: {
  readonly name: string;
  readonly after: string;
  readonly when?: string;
  /** The name of the event, the kind of the object, and its id. */
  readonly event: readonly [name: 'created' | 'updated' | 'deleted', replicable: string, id: string];
  /** Whether the object may have got into the scope of another site. */
  readonly rescoped?: string;
}): EngineSql {
  const insert = (timestamp: string) => [
    `${INSERT_EVENTS} values (${timestamp}, '${eventName}', '${replicable}', ${id}, ${rescoped})`,
  ];
  return insertTrigger({ name, after, when, insert });
}

/** Creates the trigger that writes the events of LFS objects and artifacts that move with their project. */
function movedBlobsTrigger(name: string, after: string, isMoved: string, projectCondition: string): EngineSql {
  return insertTrigger({
    name,
    after,
    when: `${isMoved} and ${HAS_SELECTIVE_SYNC}`,
    insert: (timestamp) => [
      `${INSERT_EVENTS} select ${timestamp}, 'updated', 'lfs_object', lfs_object_id, true from lfs_object_projects where ${projectCondition}`,
      `${INSERT_EVENTS} select ${timestamp}, 'updated', 'job_artifact', id, true from job_artifacts where ${projectCondition}`,
    ],
  });
}

const IS_RENAMED = 'old.full_path <> new.full_path';
const IS_STORAGE_CHANGED = '(old.storage <> new.storage)';

const repositoryEvents = ddl`
${eventTrigger({
  name: 'geo_repository_created',
  after: 'insert on repositories',
  event: ['created', 'project_repository', 'new.project_id'],
})}
${eventTrigger({
  name: 'geo_repository_updated',
  after: 'update of ref_state_version, default_branch, storage on repositories',
  when: `(old.ref_state_version <> new.ref_state_version or old.default_branch <> new.default_branch or ${IS_STORAGE_CHANGED}) and ${HAS_SECONDARY}`,
  event: ['updated', 'project_repository', 'new.project_id'],
  rescoped: IS_STORAGE_CHANGED,
})}
${eventTrigger({
  name: 'geo_repository_deleted',
  after: 'delete on repositories',
  event: ['deleted', 'project_repository', 'old.project_id'],
})}
${eventTrigger({
  name: 'geo_repository_renamed',
  after: 'update of full_path on routes',
  when: `new.project_id is not null and ${IS_RENAMED} and ${HAS_SECONDARY}`,
  event: ['updated', 'project_repository', 'new.project_id'],
  rescoped: 'true',
})}
`;

const snippetEvents = ddl`
-- The first event of a snippet is written when its repository exists.
${eventTrigger({
  name: 'geo_snippet_created',
  after: 'update of repository_created on snippets',
  when: `new.repository_created and not old.repository_created and ${HAS_SECONDARY}`,
  event: ['created', 'snippet_repository', 'new.id'],
})}
${eventTrigger({
  name: 'geo_snippet_updated',
  after: 'update of ref_state_version on snippets',
  when: `old.ref_state_version <> new.ref_state_version and new.repository_created and ${HAS_SECONDARY}`,
  event: ['updated', 'snippet_repository', 'new.id'],
})}
${eventTrigger({
  name: 'geo_snippet_moved',
  after: 'update of storage on snippets',
  when: `old.storage <> new.storage and new.repository_created and ${HAS_SECONDARY}`,
  event: ['updated', 'snippet_repository', 'new.id'],
  rescoped: 'true',
})}
${eventTrigger({
  name: 'geo_snippet_deleted',
  after: 'delete on snippets',
  when: `old.repository_created and ${HAS_SECONDARY}`,
  event: ['deleted', 'snippet_repository', 'old.id'],
})}
-- Snippets whose project gets another path may get into another scope.
${insertTrigger({
  name: 'geo_snippet_transferred',
  after: 'update of full_path on routes',
  when: `new.project_id is not null and ${IS_RENAMED} and ${HAS_SECONDARY}`,
  insert: (timestamp) => [
    `${INSERT_EVENTS} select ${timestamp}, 'updated', 'snippet_repository', id, true from snippets where project_id = new.project_id and repository_created`,
  ],
})}
`;

const blobEvents = ddl`
${eventTrigger({
  name: 'geo_lfs_object_created',
  after: 'insert on lfs_objects',
  event: ['created', 'lfs_object', 'new.id'],
})}
${eventTrigger({
  name: 'geo_lfs_object_deleted',
  after: 'delete on lfs_objects',
  event: ['deleted', 'lfs_object', 'old.id'],
})}
${eventTrigger({
  name: 'geo_job_artifact_created',
  after: 'insert on job_artifacts',
  event: ['created', 'job_artifact', 'new.id'],
})}
${eventTrigger({
  name: 'geo_job_artifact_deleted',
  after: 'delete on job_artifacts',
  event: ['deleted', 'job_artifact', 'old.id'],
})}
-- LFS objects that are shared with a project, or no longer shared.
${eventTrigger({
  name: 'geo_lfs_object_shared_insert',
  after: 'insert on lfs_object_projects',
  when: HAS_SELECTIVE_SYNC,
  event: ['updated', 'lfs_object', 'new.lfs_object_id'],
  rescoped: 'true',
})}
${eventTrigger({
  name: 'geo_lfs_object_shared_delete',
  after: 'delete on lfs_object_projects',
  when: HAS_SELECTIVE_SYNC,
  event: ['updated', 'lfs_object', 'old.lfs_object_id'],
  rescoped: 'true',
})}
${movedBlobsTrigger(
  'geo_blobs_stored_elsewhere',
  'update of storage on repositories',
  'old.storage <> new.storage',
  'project_id = new.project_id',
)}
${movedBlobsTrigger(
  'geo_blobs_transferred',
  'update of namespace_id on projects',
  'old.namespace_id <> new.namespace_id',
  'project_id = new.id',
)}
${movedBlobsTrigger(
  'geo_blobs_transferred_with_group',
  'update of parent_id on namespaces',
  'coalesce(old.parent_id, 0) <> coalesce(new.parent_id, 0)',
  'project_id in (select p.id from projects p join namespace_closure c on c.descendant_id = p.namespace_id where c.ancestor_id = new.id)',
)}
`;

/** Events of the wikis of projects or groups. A wiki has no events until it gets its first content. */
function wikiEvents(owner: 'project' | 'group'): EngineSql {
  const replicable = `${owner}_wiki_repository`;
  const routeColumn = owner === 'project' ? 'project_id' : 'namespace_id';
  return ddl`
${eventTrigger({
  name: `geo_${owner}_wiki_created`,
  after: 'update of empty on wikis',
  when: `new.${owner}_id is not null and old.empty and not new.empty and ${HAS_SECONDARY}`,
  event: ['created', replicable, 'new.wiki_id'],
})}
${eventTrigger({
  name: `geo_${owner}_wiki_updated`,
  after: 'update of ref_state_version, default_branch, storage on wikis',
  when: `new.${owner}_id is not null and not old.empty and (old.ref_state_version <> new.ref_state_version or old.default_branch <> new.default_branch or ${IS_STORAGE_CHANGED}) and ${HAS_SECONDARY}`,
  event: ['updated', replicable, 'new.wiki_id'],
  rescoped: IS_STORAGE_CHANGED,
})}
${eventTrigger({
  name: `geo_${owner}_wiki_deleted`,
  after: 'delete on wikis',
  when: `old.${owner}_id is not null and not old.empty and ${HAS_SECONDARY}`,
  event: ['deleted', replicable, 'old.wiki_id'],
})}
${insertTrigger({
  name: `geo_${owner}_wiki_renamed`,
  after: 'update of full_path on routes',
  when: `new.${routeColumn} is not null and ${IS_RENAMED} and ${HAS_SECONDARY}`,
  insert: (timestamp) => [
    `${INSERT_EVENTS} select ${timestamp}, 'updated', '${replicable}', wiki_id, true from wikis where ${owner}_id = new.${routeColumn} and not empty`,
  ],
})}
`;
}

/** Replication sites, the events that they read, and the state of a secondary. */
export const replication = ddl`
create table geo_sites (
  id id,
  name text not null,
  name_key text not null,
  url text not null,
  internal_url text,
  is_primary boolean not null,
  enabled boolean not null,
  files_max_capacity integer not null,
  repos_max_capacity integer not null,
  verification_max_capacity integer not null,
  container_repositories_max_capacity integer not null,
  minimum_reverification_interval integer not null,
  sync_object_storage boolean not null,
  selective_sync_type text check (selective_sync_type in ('namespaces', 'shards')),
  selective_sync_shards json not null,
  access_key_digest text,
  secret_access_key text,
  oauth_application_id integer references oauth_applications (id) on delete set null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index geo_sites_by_name on geo_sites (name_key);
create unique index geo_sites_by_access_key on geo_sites (access_key_digest);
create unique index geo_sites_primary on geo_sites (is_primary) where is_primary;
create unique index geo_sites_by_application on geo_sites (oauth_application_id);

create table geo_site_namespaces (
  site_id integer not null references geo_sites (id) on delete cascade,
  namespace_id integer not null references namespaces (id) on delete cascade,
  primary key (site_id, namespace_id)
);
create index geo_site_namespaces_by_namespace on geo_site_namespaces (namespace_id);

-- Tokens that sites have used, because each token is accepted once.
create table geo_site_proofs (
  site_id integer not null,
  jti_digest text not null,
  expires_at timestamp not null,
  primary key (site_id, jti_digest)
);
create index geo_site_proofs_by_expiry on geo_site_proofs (expires_at);

create table geo_statuses (
  site_id integer primary key references geo_sites (id) on delete cascade,
  counts json not null,
  status_message text not null,
  db_replication_lag_seconds integer,
  last_event_id integer,
  last_event_timestamp integer,
  cursor_last_event_id integer,
  cursor_last_event_timestamp integer,
  version text,
  revision text,
  storage_configuration_digest text,
  last_successful_status_check_at timestamp not null,
  updated_at timestamp not null
);

create table geo_checksums (
  replicable_name text not null,
  replicable_id integer not null,
  version text not null,
  checksum text,
  checked_at timestamp not null,
  primary key (replicable_name, replicable_id)
);
-- Checksums that could not be computed.
create index geo_checksums_failed on geo_checksums (replicable_name, replicable_id) where checksum is null;

create table geo_events (
  id id,
  event_name text not null check (event_name in ('created', 'updated', 'deleted')),
  replicable_name text not null,
  replicable_id integer not null,
  rescoped boolean not null,
  created_at timestamp not null
);

${repositoryEvents}
${snippetEvents}
${blobEvents}
${wikiEvents('project')}
${wikiEvents('group')}

-- The state of a secondary (contract/operations.md, section 3.5). The tables from here on are empty on a primary.
create table geo_registry (
  id id,
  replicable_name text not null,
  replicable_id integer not null,
  state text not null check (state in ('pending', 'started', 'synced', 'failed', 'leaving')),
  verification text not null check (verification in ('pending', 'verified', 'failed')),
  generation integer not null,
  listing integer not null,
  pool text check (pool in ('repository', 'blob', 'verification', 'verified')),
  due_at timestamp not null,
  retries integer not null,
  error text,
  path text,
  path_key text,
  storage text,
  checksum text,
  synced_at timestamp,
  verified_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index geo_registry_by_object on geo_registry (replicable_name, replicable_id);
create index geo_registry_by_work on geo_registry (pool, due_at, id);
create index geo_registry_by_state on geo_registry (replicable_name, state, verification);
create index geo_registry_by_listing on geo_registry (listing, id);
create index geo_registry_by_path on geo_registry (path_key);
create index geo_registry_by_checksum on geo_registry (checksum);

create table geo_position (
  id integer primary key,
  cursor integer not null,
  cursor_at timestamp,
  -- When this secondary last processed all events: the primary may delete events that it has not read yet.
  followed_at timestamp,
  listing integer not null,
  listed_scope text,
  listing_scope text,
  listing_replicable_name text,
  listing_after_id integer not null
);

create table geo_daily_counts (
  day text not null,
  name text not null,
  count integer not null,
  primary key (day, name)
);
`;
