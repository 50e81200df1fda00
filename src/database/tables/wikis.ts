import type { Generated } from 'kysely';

/** Wikis of projects and groups (contract/operations.md §2.2). */
export interface WikisTables {
  wikis: WikisTable;
  wiki_pages: WikiPagesTable;
}

/** A wiki's repository; the row is created with the first write. Its parent determines whether it is read-only. */
export interface WikisTable {
  wiki_id: Generated<number>;
  /** Exactly one of project and group is set. */
  project_id: number | null;
  group_id: number | null;
  storage: string;
  disk_path: string;
  /** The target of HEAD, even before that branch exists. */
  default_branch: string;
  /** Incremented by each ref change. */
  ref_state_version: Generated<number>;
  /** Whether nothing has been written yet. */
  empty: Generated<boolean>;
  /** Size of the objects in bytes as of this version of refs; null: not measured yet. */
  size: number | null;
  size_version: number | null;
  created_at: string;
  updated_at: string;
}

/** The stable identity of a page, to which events refer. A page that was never requested may have no row. */
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
