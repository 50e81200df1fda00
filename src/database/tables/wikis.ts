import type { Generated } from 'kysely';

/** Wikis of projects and groups (contract/operations.md §2.2). */
export interface WikisTables {
  wikis: WikisTable;
  wiki_pages: WikiPagesTable;
}

/** Repositories of wikis. A row is created by the first write. The project or group determines whether the wiki is read-only. */
export interface WikisTable {
  wiki_id: Generated<number>;
  /** Exactly one of `project_id` and `group_id` is set. */
  project_id: number | null;
  group_id: number | null;
  storage: string;
  disk_path: string;
  /** The target of HEAD, even before that branch exists. */
  default_branch: string;
  /** Version of the refs; incremented by each ref change. */
  ref_state_version: Generated<number>;
  /** Whether nothing has been written yet. */
  empty: Generated<boolean>;
  /** Size of the objects in bytes; null: not measured yet. */
  size: number | null;
  /** Version of the refs for which `size` was measured. */
  size_version: number | null;
  created_at: string;
  updated_at: string;
}

/** Stable ids of wiki pages, to which events refer. A page whose id was never needed has no row. */
interface WikiPagesTable {
  id: Generated<number>;
  wiki_id: number;
  /** The normalized slug; null: the page was deleted and another page has its slug. */
  slug_key: string | null;
  /** The path of the file; null: the page was deleted. */
  path: string | null;
  /** The last title of the page. */
  title: string;
}
