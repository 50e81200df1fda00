import type { Generated } from 'kysely';
import type { Visibility } from './domain.ts';

/** Snippets of users and projects (contract/operations.md §2.1, contract/everyday-more.md §7.1). */
export interface SnippetsTables {
  snippets: SnippetsTable;
}

export interface SnippetsTable {
  id: Generated<number>;
  /** Null: a personal snippet. */
  project_id: number | null;
  author_id: number;
  title: string;
  description: string | null;
  visibility: Visibility;
  /** JSON array of the file paths on the default branch; the first file is the one that the raw endpoint returns. */
  files: string;
  /** The storage path of the repository. */
  storage: string;
  disk_path: string;
  default_branch: Generated<string>;
  /** Version of the refs; incremented by each ref change. */
  ref_state_version: Generated<number>;
  /** Whether the repository has no branch yet. */
  empty: Generated<boolean>;
  /** Size of the objects in bytes. */
  size: Generated<number>;
  /** Whether the repository was created. Until then the snippet is hidden; if the creation fails, the row is deleted. */
  made: boolean;
  /** The running storage move; null if there is none. */
  move_id: number | null;
  created_at: string;
  updated_at: string;
}
