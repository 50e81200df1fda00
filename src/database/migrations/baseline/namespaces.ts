import { ddl } from '#database/ddl.ts';
import { trigramIndex } from '#database/search/trigrams.ts';
import { columnCopies, trigger } from '#database/triggers.ts';

/** 1 if the project of this row counts as shared, else 0. */
const isShared = (row: 'old' | 'new') => `case when ${row}.visibility in ('internal', 'public') then 1 else 0 end`;

/** Groups and personal namespaces, projects with their paths, members, topics and custom attributes. */
export const namespaces = ddl`
create table namespaces (
  id id,
  kind text not null check (kind in ('user', 'group')),
  owner_id integer references users (id),
  parent_id integer references namespaces (id),
  path text not null,
  name text not null,
  name_key text not null,
  description text not null default '',
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  archived boolean not null default false,
  attributes json not null default '{}',
  -- The storage of the wiki of a group, set before the wiki has a page.
  storage text not null default 'default',
  move_id integer,
  marked_for_deletion_on text,
  name_before_deletion text,
  path_before_deletion text,
  created_at timestamp not null,
  updated_at timestamp not null,
  check ((kind = 'user') = (owner_id is not null))
);
create unique index namespaces_by_owner on namespaces (owner_id);
create index namespaces_by_parent on namespaces (parent_id, id);
create index namespaces_by_name on namespaces (name, id);
create index namespaces_by_deletion on namespaces (marked_for_deletion_on);
-- Sorted lists of groups, which share their table with personal namespaces.
create index groups_by_name on namespaces (name, id) where kind = 'group';
create index groups_by_path on namespaces (path, id) where kind = 'group';
create index groups_by_id on namespaces (id) where kind = 'group';
create index groups_by_visibility on namespaces (visibility, name, id) where kind = 'group';
create index groups_by_parent on namespaces (parent_id, name, id) where kind = 'group';
create index groups_by_storage on namespaces (storage, name, id) where kind = 'group';
-- The few namespaces that are archived or marked for deletion themselves; descendants inherit the state.
create index namespaces_inactive on namespaces (id) where (archived = true or marked_for_deletion_on is not null);
${trigramIndex('namespaces', 'name_key')}

create table namespace_closure (
  ancestor_id integer not null references namespaces (id) on delete cascade,
  descendant_id integer not null references namespaces (id) on delete cascade,
  depth integer not null,
  primary key (descendant_id, ancestor_id)
);
create index namespace_closure_by_ancestor on namespace_closure (ancestor_id, descendant_id);

create table projects (
  id id,
  namespace_id integer not null references namespaces (id),
  creator_id integer,
  path text not null,
  name text not null,
  name_key text not null,
  description text,
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  archived boolean not null default false,
  repository_access_level text not null default 'enabled'
    check (repository_access_level in ('disabled', 'private', 'enabled')),
  issues_access_level text not null default 'enabled'
    check (issues_access_level in ('disabled', 'private', 'enabled')),
  merge_requests_access_level text not null default 'enabled'
    check (merge_requests_access_level in ('disabled', 'private', 'enabled')),
  builds_access_level text not null default 'enabled'
    check (builds_access_level in ('disabled', 'private', 'enabled')),
  environments_access_level text not null default 'enabled'
    check (environments_access_level in ('disabled', 'private', 'enabled')),
  wiki_access_level text not null default 'enabled' check (wiki_access_level in ('disabled', 'private', 'enabled')),
  snippets_access_level text not null default 'enabled'
    check (snippets_access_level in ('disabled', 'private', 'enabled')),
  lfs_enabled boolean not null default true,
  -- The number of rows of stars, for sorted lists.
  star_count integer not null default 0,
  imported_from text not null default 'none',
  attributes json not null default '{}',
  marked_for_deletion_on text,
  name_before_deletion text,
  path_before_deletion text,
  last_activity_at timestamp not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index projects_by_name_key on projects (namespace_id, name_key);
create index projects_by_namespace on projects (namespace_id, id);
create index projects_by_created_at on projects (created_at, id);
create index projects_by_updated_at on projects (updated_at, id);
create index projects_by_last_activity on projects (last_activity_at, id);
create index projects_by_name on projects (name, id);
create index projects_by_path on projects (path, id);
create index projects_by_creator on projects (creator_id);
create index projects_by_deletion on projects (marked_for_deletion_on);
-- The few projects that are archived themselves.
create index projects_archived on projects (id) where archived = true;
create index projects_by_star_count on projects (star_count, id);
create index projects_imported on projects (id) where imported_from <> 'none';
${trigramIndex('projects', 'name_key')}

create table routes (
  id id,
  full_path text not null,
  full_path_key text not null,
  full_name text not null,
  namespace_id integer references namespaces (id) on delete cascade,
  project_id integer references projects (id) on delete cascade,
  check ((namespace_id is null) <> (project_id is null))
);
create unique index routes_by_full_path on routes (full_path_key);
create unique index routes_by_namespace on routes (namespace_id);
create unique index routes_by_project on routes (project_id);
${trigramIndex('routes', 'full_path_key')}

create table redirects (
  full_path_key text primary key,
  full_path text not null,
  project_id integer not null references projects (id) on delete cascade
);
create index redirects_by_project on redirects (project_id);

create table memberships (
  id id,
  user_id integer not null references users (id) on delete cascade,
  source_type text not null check (source_type in ('group', 'project')),
  source_id integer not null,
  access_level integer not null check (access_level in (10, 15, 20, 30, 40, 50)),
  expires_at text,
  created_by_id integer,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index memberships_by_source on memberships (source_type, source_id, user_id);
create index memberships_by_user on memberships (user_id, source_type, source_id);
create index memberships_by_expiry on memberships (expires_at);
-- Deleting a user clears these references.
create index memberships_by_created_by on memberships (created_by_id);

-- Bot users of project and group tokens. Each has one membership, which cannot be deleted while the bot exists.
create table token_bots (
  user_id integer primary key references users (id) on delete cascade,
  source_type text not null check (source_type in ('group', 'project')),
  source_id integer not null,
  -- Checked at the end of the transaction: a user and its memberships may be deleted in any order.
  foreign key (source_type, source_id, user_id) references memberships (source_type, source_id, user_id)
    deferrable initially deferred
);
create unique index token_bots_by_source on token_bots (source_type, source_id, user_id);

create table stars (
  project_id integer not null references projects (id) on delete cascade,
  user_id integer not null references users (id),
  created_at timestamp not null,
  primary key (user_id, project_id)
);
create index stars_by_project on stars (project_id, created_at, user_id);

create table topics (
  id id,
  name text not null,
  name_key text not null,
  title text not null,
  title_key text not null,
  description text,
  project_count integer not null default 0,
  shared_project_count integer not null default 0,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index topics_by_name on topics (name_key);
create index topics_by_use on topics (shared_project_count desc, id);
create index topics_unused on topics (id) where project_count = 0;
${trigramIndex('topics', 'name_key', 'title_key')}

create table project_topics (
  project_id integer not null references projects (id) on delete cascade,
  topic_id integer not null references topics (id) on delete cascade,
  position integer not null,
  -- A copy of the visibility of the project.
  visibility text,
  primary key (project_id, topic_id)
);
create index project_topics_by_topic on project_topics (topic_id, project_id);
${columnCopies({ table: 'project_topics', key: 'project_id', source: 'projects', columns: ['visibility'] })}
-- Triggers count the projects of each topic, also when a cascade deletes rows.
${trigger({
  name: 'project_topics_counted_on_insert',
  after: 'insert on project_topics',
  run: `update topics set project_count = project_count + 1, shared_project_count = shared_project_count + ${isShared('new')} where id = new.topic_id`,
})}
${trigger({
  name: 'project_topics_counted_on_delete',
  after: 'delete on project_topics',
  run: `update topics set project_count = project_count - 1, shared_project_count = shared_project_count - ${isShared('old')} where id = old.topic_id`,
})}
${trigger({
  name: 'project_topics_counted_on_update',
  after: 'update of visibility on project_topics',
  run: `update topics set shared_project_count = shared_project_count + ${isShared('new')} - ${isShared('old')} where id = new.topic_id`,
})}

create table custom_attributes (
  id id,
  user_id integer references users (id) on delete cascade,
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  key text not null,
  value text not null
);
create unique index custom_attributes_by_user on custom_attributes (user_id, key) where user_id is not null;
create unique index custom_attributes_by_project on custom_attributes (project_id, key) where project_id is not null;
create unique index custom_attributes_by_group on custom_attributes (group_id, key) where group_id is not null;
-- Only the beginning of a value: PostgreSQL limits the size of an index entry.
create index custom_attributes_by_value on custom_attributes (key, substr(value, 1, 100));

create table ssh_certificates (
  id id,
  group_id integer not null references namespaces (id) on delete cascade,
  title text not null,
  key text not null,
  fingerprint text not null,
  created_at timestamp not null
);
create unique index ssh_certificates_by_fingerprint on ssh_certificates (fingerprint);
create index ssh_certificates_by_group on ssh_certificates (group_id, id);
`;
