import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** The rows of `src/access`: namespaces, projects with their repositories, who is a member where. */
export interface AccessTables {
  namespaces: NamespacesTable;
  namespace_closure: NamespaceClosureTable;
  projects: ProjectsTable;
  repositories: RepositoriesTable;
  routes: RoutesTable;
  redirects: RedirectsTable;
  memberships: MembershipsTable;
  stars: StarsTable;
  token_bots: TokenBotsTable;
}

export type Visibility = 'private' | 'internal' | 'public';
export type FeatureLevel = 'disabled' | 'private' | 'enabled';
export type SourceType = 'group' | 'project';

/** Groups and personal namespaces share one row of ids. */
interface NamespacesTable {
  id: Generated<number>;
  kind: 'user' | 'group';
  /** Of a personal namespace; null for groups. */
  owner_id: number | null;
  parent_id: number | null;
  path: string;
  name: string;
  name_key: string;
  description: string;
  visibility: Visibility;
  archived: Generated<boolean>;
  /** JSON of the group attributes that differ from their defaults (contract/planning.md §3.1). */
  attributes: Generated<string>;
  /** Where the repository of a group's wiki is, or will be once it has a page. */
  storage: Generated<string>;
  /** The move that takes it elsewhere; null: none does. */
  move_id: number | null;
  /** `YYYY-MM-DD`; with it, what name and path were before the deletion was scheduled. */
  marked_for_deletion_on: string | null;
  name_before_deletion: string | null;
  path_before_deletion: string | null;
  created_at: string;
  updated_at: string;
}

/** Every pair of a group and what is above it, itself included at depth 0. */
interface NamespaceClosureTable {
  ancestor_id: number;
  descendant_id: number;
  depth: number;
}

export interface ProjectsTable {
  id: Generated<number>;
  namespace_id: number;
  creator_id: number | null;
  path: string;
  name: string;
  name_key: string;
  description: string | null;
  visibility: Visibility;
  archived: Generated<boolean>;
  /** The features that decide who sees what, as columns, so that lists can ask for them. */
  repository_access_level: Generated<FeatureLevel>;
  issues_access_level: Generated<FeatureLevel>;
  merge_requests_access_level: Generated<FeatureLevel>;
  builds_access_level: Generated<FeatureLevel>;
  environments_access_level: Generated<FeatureLevel>;
  wiki_access_level: Generated<FeatureLevel>;
  snippets_access_level: Generated<FeatureLevel>;
  lfs_enabled: Generated<boolean>;
  /** JSON array of texts. */
  topics: Generated<string>;
  /** JSON of the other attributes that differ from their defaults (contract/planning.md §3.3). */
  attributes: Generated<string>;
  /** How many rows of `stars` it has. */
  star_count: Generated<number>;
  marked_for_deletion_on: string | null;
  name_before_deletion: string | null;
  path_before_deletion: string | null;
  last_activity_at: string;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** 1:1 with projects (contract/repository.md "Data model"). */
interface RepositoriesTable {
  project_id: number;
  storage: string;
  disk_path: string;
  /** By an administrator's wish, or because it is moving. */
  read_only: Generated<boolean>;
  /** The move that takes it to another storage, from its schedule until the repository is there; null: none does. */
  move_id: number | null;
  /** Grows with every ref change: the version that ref caches carry. */
  ref_state_version: Generated<number>;
  /** What HEAD names, also before that branch exists. */
  default_branch: string;
  /** JSON of what its group said of that branch when the project was made; null: the instance's setting says it. */
  default_branch_protection: string | null;
  /** Nothing has been pushed or committed yet. */
  empty: Generated<boolean>;
  /** What lists and statistics show of it, as it was at this version of refs; null: not looked at yet. */
  summary_version: string | null;
  /** The name of the read-me file at the top of the default branch. */
  readme: string | null;
  /** Of the default branch. */
  commit_count: number | null;
  /** Bytes of its objects. */
  size: number | null;
}

/** The one home of full paths: unique over groups, personal namespaces and projects, whatever their case. */
interface RoutesTable {
  id: Generated<number>;
  full_path: string;
  full_path_key: string;
  /** Names joined by ` / `. */
  full_name: string;
  namespace_id: number | null;
  project_id: number | null;
}

/** Old full paths of projects. */
interface RedirectsTable {
  full_path: string;
  full_path_key: string;
  project_id: number;
}

export interface MembershipsTable {
  id: Generated<number>;
  user_id: number;
  source_type: SourceType;
  source_id: number;
  access_level: number;
  /** `YYYY-MM-DD`; from that day on the membership gives nothing. */
  expires_at: string | null;
  created_by_id: number | null;
  created_at: string;
  updated_at: string;
}

interface StarsTable {
  project_id: number;
  user_id: number;
  created_at: string;
}

/** The bots of project and group tokens, each with the place of its one membership. */
export interface TokenBotsTable {
  user_id: number;
  source_type: SourceType;
  source_id: number;
}
