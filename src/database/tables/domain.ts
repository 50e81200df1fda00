import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Tables of `src/domain`: namespaces, projects with their repositories, and memberships. */
export interface DomainTables {
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

/** Groups and personal namespaces share one sequence of ids. */
interface NamespacesTable {
  id: Generated<number>;
  kind: 'user' | 'group';
  /** The owner of a personal namespace; null for groups. */
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
  /** The path of the repository of a group's wiki, which exists once the wiki has a page. */
  storage: Generated<string>;
  /** The running storage move; null if there is none. */
  move_id: number | null;
  /** Date on which the deletion was scheduled, `YYYY-MM-DD`. */
  marked_for_deletion_on: string | null;
  /** Name and path before the deletion was scheduled, which changes both. */
  name_before_deletion: string | null;
  path_before_deletion: string | null;
  created_at: string;
  updated_at: string;
}

/** Closure table: all pairs of a namespace and its ancestors, including itself at depth 0. */
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
  /** Access levels of features are columns, so that lists can filter by them. */
  repository_access_level: Generated<FeatureLevel>;
  issues_access_level: Generated<FeatureLevel>;
  merge_requests_access_level: Generated<FeatureLevel>;
  builds_access_level: Generated<FeatureLevel>;
  environments_access_level: Generated<FeatureLevel>;
  wiki_access_level: Generated<FeatureLevel>;
  snippets_access_level: Generated<FeatureLevel>;
  lfs_enabled: Generated<boolean>;
  /** JSON of the other attributes that differ from their defaults (contract/planning.md §3.3). */
  attributes: Generated<string>;
  /** Number of rows of `stars`. */
  star_count: Generated<number>;
  marked_for_deletion_on: string | null;
  name_before_deletion: string | null;
  path_before_deletion: string | null;
  last_activity_at: string;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** Repositories, one per project (contract/repository.md "Data model"). */
interface RepositoriesTable {
  project_id: number;
  storage: string;
  disk_path: string;
  /** Whether an administrator or a storage move has made the repository read-only. */
  read_only: Generated<boolean>;
  /** The scheduled or running storage move; null if there is none. */
  move_id: number | null;
  /** Version of the refs for caches; incremented by each ref change. */
  ref_state_version: Generated<number>;
  /** The target of HEAD, even before that branch exists. */
  default_branch: string;
  /** JSON of the group's default branch protection when the project was created; null: the instance setting applies. */
  default_branch_protection: string | null;
  /** Whether nothing has been pushed or committed yet. */
  empty: Generated<boolean>;
  /** Version of the refs for which the following summary columns were computed; null: not computed yet. */
  summary_version: string | null;
  /** Name of the README file in the root directory of the default branch. */
  readme: string | null;
  /** Number of commits of the default branch. */
  commit_count: number | null;
  /** Size of the objects in bytes. */
  size: number | null;
  /** Sizes in bytes of the project's wiki, LFS objects and snippets when last measured; for sorting lists. */
  wiki_size: Generated<number>;
  lfs_size: Generated<number>;
  snippets_size: Generated<number>;
}

/** The only source of full paths: unique over groups, personal namespaces and projects, regardless of case. */
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
  /** Date on which the membership expires, `YYYY-MM-DD`: it grants nothing on that day and later. */
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

/** Bots of project and group tokens, each with the group or project of its only membership. */
export interface TokenBotsTable {
  user_id: number;
  source_type: SourceType;
  source_id: number;
}
