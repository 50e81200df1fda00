import { ddl } from '#database/ddl.ts';

/** Repositories of projects, snippets and wikis, protected refs, LFS objects, and commits with comments. */
export const code = ddl`
create table repositories (
  project_id integer primary key references projects (id) on delete cascade,
  storage text not null,
  disk_path text not null,
  move_id integer,
  read_only boolean not null default false,
  ref_state_version integer not null default 0,
  default_branch text not null,
  empty boolean not null default true,
  -- The default of the group when the project was created; null: the setting of the instance applies.
  default_branch_protection json,
  -- Summaries for lists and statistics, with the version of the refs for which they were computed.
  summary_version text,
  readme text,
  commit_count integer,
  size integer,
  wiki_size integer not null default 0,
  lfs_size integer not null default 0,
  snippets_size integer not null default 0
);
create index repositories_by_storage on repositories (storage, project_id);
create unique index repositories_by_disk_path on repositories (disk_path, storage);
-- Sort orders of lists of projects.
create index repositories_by_size on repositories (coalesce(size, 0), project_id);
create index repositories_by_wiki_size on repositories (wiki_size, project_id);
create index repositories_by_storage_size on repositories
  ((coalesce(size, 0) + wiki_size + lfs_size + snippets_size), project_id);

create table protected_branches (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  name text not null,
  allow_force_push boolean not null,
  code_owner_approval_required boolean not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index protected_branches_by_name on protected_branches (project_id, name);

create table protected_branch_access_levels (
  id id,
  protected_branch_id integer not null references protected_branches (id) on delete cascade,
  kind text not null check (kind in ('push', 'merge', 'unprotect')),
  access_level integer not null,
  user_id integer references users (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  check (user_id is null or group_id is null)
);
-- Three partial indexes, because nulls are distinct from each other in a unique index.
create unique index protected_branch_levels_by_role on protected_branch_access_levels
  (protected_branch_id, kind, access_level) where user_id is null and group_id is null;
create unique index protected_branch_levels_by_user on protected_branch_access_levels
  (protected_branch_id, kind, user_id) where user_id is not null;
create unique index protected_branch_levels_by_group on protected_branch_access_levels
  (protected_branch_id, kind, group_id) where group_id is not null;
create index protected_branch_levels_of_user on protected_branch_access_levels (user_id);
create index protected_branch_levels_of_group on protected_branch_access_levels (group_id);
-- For joins and the foreign key, which the partial indexes do not serve.
create index protected_branch_levels_by_rule on protected_branch_access_levels (protected_branch_id);

create table protected_tags (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  name text not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index protected_tags_by_name on protected_tags (project_id, name);

create table protected_tag_access_levels (
  id id,
  protected_tag_id integer not null references protected_tags (id) on delete cascade,
  access_level integer not null,
  user_id integer references users (id) on delete cascade
);
create index protected_tag_levels_by_rule on protected_tag_access_levels (protected_tag_id, id);
create index protected_tag_levels_of_user on protected_tag_access_levels (user_id, id) where user_id is not null;

create table lfs_objects (
  id id,
  oid text not null references blobs (sha256),
  size integer not null,
  created_at timestamp not null
);
create unique index lfs_objects_by_oid on lfs_objects (oid);

create table lfs_object_projects (
  lfs_object_id integer not null references lfs_objects (id) on delete cascade,
  project_id integer not null references projects (id) on delete cascade,
  primary key (project_id, lfs_object_id)
);
create index lfs_object_projects_by_object on lfs_object_projects (lfs_object_id);

-- File locks that git-lfs clients set.
create table lfs_locks (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  path text not null,
  created_at timestamp not null
);
create unique index lfs_locks_by_path on lfs_locks (project_id, path);
create index lfs_locks_by_project on lfs_locks (project_id, id);
create index lfs_locks_by_user on lfs_locks (user_id, id);

create table snippets (
  id id,
  author_id integer not null references users (id),
  project_id integer references projects (id) on delete cascade,
  title text not null,
  description text,
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  files text not null,
  storage text not null,
  disk_path text not null,
  move_id integer,
  default_branch text not null default 'main',
  ref_state_version integer not null default 0,
  repository_created boolean not null,
  empty boolean not null default false,
  size integer not null default 0,
  created_at timestamp not null,
  updated_at timestamp not null
);
create index snippets_by_repository_created on snippets (repository_created, id);
create index snippets_by_author on snippets (author_id, id);
create index snippets_by_storage on snippets (storage, id);
create unique index snippets_by_disk_path on snippets (disk_path, storage);
create index snippets_by_project on snippets (project_id, id);

create table wikis (
  wiki_id id,
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  storage text not null,
  disk_path text not null,
  default_branch text not null,
  ref_state_version integer not null default 0,
  empty boolean not null default true,
  size integer,
  size_version integer,
  created_at timestamp not null,
  updated_at timestamp not null,
  check ((project_id is null) <> (group_id is null))
);
create unique index wikis_by_project on wikis (project_id);
create unique index wikis_by_group on wikis (group_id);
create unique index wikis_by_disk_path on wikis (disk_path, storage);
create index wikis_by_storage on wikis (storage, group_id);

create table wiki_pages (
  id id,
  wiki_id integer not null references wikis (wiki_id) on delete cascade,
  slug_key text,
  path text,
  title text not null
);
create unique index wiki_pages_by_slug on wiki_pages (wiki_id, slug_key);

create table commented_commits (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  sha text not null,
  title text not null
);
create unique index commented_commits_by_sha on commented_commits (project_id, sha);
`;
