import type { Generated } from 'kysely';

/** Wikis of projects and groups (contract/operations.md §2.2). */
export interface WikisTables {
  wikis: WikisTable;
  wiki_pages: WikiPagesTable;
}

/** A wiki's repository; there is no row before somebody writes into it. Read-only is what it belongs to. */
export interface WikisTable {
  wiki_id: Generated<number>;
  /** It is of a project or of a group. */
  project_id: number | null;
  group_id: number | null;
  storage: string;
  disk_path: string;
  /** What HEAD names, also before that branch exists. */
  default_branch: string;
  /** Grows with every ref change. */
  ref_state_version: Generated<number>;
  /** Nothing has been written yet. */
  empty: Generated<boolean>;
  /** Bytes of its objects, as they were at this version of its refs; null: not measured yet. */
  size: number | null;
  size_version: number | null;
  created_at: string;
  updated_at: string;
}

/** What a page is known by whatever it is called: events name it. A page that nobody has asked for yet may have no row. */
interface WikiPagesTable {
  id: Generated<number>;
  wiki_id: number;
  /** The slug in the form in which pages are told apart; null: it is no more, and another page has its slug. */
  slug_key: string | null;
  /** Of its file; null: it is no more. */
  path: string | null;
  /** The last one it had. */
  title: string;
}
