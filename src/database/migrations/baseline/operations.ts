import { ddl } from '#database/ddl.ts';

/** Moves of repositories between storages, and migrations by direct transfer. */
export const operations = ddl`
create table storage_moves (
  id id,
  kind text not null check (kind in ('project', 'snippet', 'group')),
  project_id integer references projects (id) on delete cascade,
  snippet_id integer references snippets (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  state text not null check (state in ('scheduled', 'started', 'replicated', 'finished', 'failed', 'cleanup failed')),
  source_storage text not null,
  destination_storage text not null,
  repositories text not null,
  error_message text,
  created_at timestamp not null,
  updated_at timestamp not null
);
create index storage_moves_by_kind on storage_moves (kind, created_at, id);
create index storage_moves_by_project_id on storage_moves (project_id, created_at, id);
create unique index storage_moves_under_way_by_project_id on storage_moves (project_id)
  where state in ('scheduled', 'started');
create index storage_moves_by_snippet_id on storage_moves (snippet_id, created_at, id);
create unique index storage_moves_under_way_by_snippet_id on storage_moves (snippet_id)
  where state in ('scheduled', 'started');
create index storage_moves_by_group_id on storage_moves (group_id, created_at, id);
create unique index storage_moves_under_way_by_group_id on storage_moves (group_id)
  where state in ('scheduled', 'started');
create index storage_moves_under_way on storage_moves (state, id) where state in ('scheduled', 'started');

create table bulk_imports (
  id id,
  user_id integer not null references users (id) on delete cascade,
  status text not null check (status in ('created', 'started', 'finished', 'timeout', 'failed', 'canceled')),
  source_version text,
  source_enterprise boolean,
  source_url text not null,
  has_failures boolean not null default false,
  created_at timestamp not null,
  updated_at timestamp not null,
  ended_at timestamp
);
create index bulk_imports_by_user on bulk_imports (user_id, created_at, id);
create index bulk_imports_by_user_status on bulk_imports (user_id, status, created_at, id);
create index bulk_imports_under_way on bulk_imports (updated_at, id) where status in ('created', 'started');

create table bulk_import_configurations (
  bulk_import_id integer primary key references bulk_imports (id) on delete cascade,
  encrypted_url text not null,
  encrypted_token text not null
);

create table bulk_import_entities (
  id id,
  bulk_import_id integer not null references bulk_imports (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  parent_id integer references bulk_import_entities (id) on delete cascade,
  source_type text not null check (source_type in ('group_entity', 'project_entity')),
  source_full_path text not null,
  source_id integer,
  destination_namespace text not null,
  destination_slug text not null,
  namespace_id integer references namespaces (id) on delete set null,
  project_id integer references projects (id) on delete set null,
  migrate_projects boolean not null,
  migrate_memberships boolean not null,
  status text not null check (status in ('created', 'started', 'finished', 'timeout', 'failed', 'canceled')),
  has_failures boolean not null default false,
  created_at timestamp not null,
  updated_at timestamp not null,
  check (namespace_id is null or project_id is null)
);
-- Lists ordered by creation, with and without a filter by status.
create index bulk_import_entities_by_user on bulk_import_entities (user_id, created_at, id);
create index bulk_import_entities_by_user_status on bulk_import_entities (user_id, status, created_at, id);
create index bulk_import_entities_by_import on bulk_import_entities (bulk_import_id, created_at, id);
create index bulk_import_entities_by_import_status on bulk_import_entities (bulk_import_id, status, created_at, id);
create index bulk_import_entities_in_order on bulk_import_entities (bulk_import_id, status, id);
create index bulk_import_entities_by_parent on bulk_import_entities (parent_id) where parent_id is not null;
create index bulk_import_entities_by_namespace on bulk_import_entities (namespace_id) where namespace_id is not null;
create index bulk_import_entities_by_project on bulk_import_entities (project_id) where project_id is not null;

create table bulk_import_trackers (
  id id,
  entity_id integer not null references bulk_import_entities (id) on delete cascade,
  relation text not null,
  stage integer not null,
  status text not null,
  next_page integer,
  source_count integer not null default 0,
  fetched_count integer not null default 0,
  imported_count integer not null default 0,
  retried_call text,
  retries integer not null default 0
);
create unique index bulk_import_trackers_by_relation on bulk_import_trackers (entity_id, relation);

create table bulk_import_objects (
  bulk_import_id integer not null references bulk_imports (id) on delete cascade,
  entity_id integer not null references bulk_import_entities (id) on delete cascade,
  kind text not null,
  source_key text not null,
  local_id integer not null,
  primary key (bulk_import_id, kind, source_key, entity_id)
);
create index bulk_import_objects_by_entity on bulk_import_objects (entity_id);

create table bulk_import_users (
  bulk_import_id integer not null references bulk_imports (id) on delete cascade,
  source_user_id integer not null,
  user_id integer references users (id) on delete cascade,
  primary key (bulk_import_id, source_user_id)
);
create index bulk_import_users_by_user on bulk_import_users (user_id);

create table bulk_import_failures (
  id id,
  entity_id integer not null references bulk_import_entities (id) on delete cascade,
  relation text not null,
  step text not null,
  exception_class text not null,
  exception_message text not null,
  correlation_id text not null,
  source_url text,
  source_title text,
  created_at timestamp not null
);
create index bulk_import_failures_by_entity on bulk_import_failures (entity_id, id);

-- Imported epics whose parents have not been imported yet.
create table bulk_import_awaited_epics (
  bulk_import_id integer not null references bulk_imports (id) on delete cascade,
  source_id integer not null,
  epic_id integer primary key references epics (id) on delete cascade
);
create index bulk_import_awaited_epics_by_source on bulk_import_awaited_epics (bulk_import_id, source_id);
`;
