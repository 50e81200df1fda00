import type { Generated } from 'kysely';
import type { Visibility } from './domain.ts';

/** Snippets (contract/operations.md §2.1). */
export interface SnippetsTables {
  snippets: SnippetsTable;
}

export interface SnippetsTable {
  id: Generated<number>;
  author_id: number;
  title: string;
  description: string | null;
  visibility: Visibility;
  /** JSON array of file paths in the order of the request. */
  files: string;
  /** The storage path of the repository. */
  storage: string;
  disk_path: string;
  /** Whether the repository exists. Until then the snippet is hidden; if the creation fails, the row is deleted. */
  made: boolean;
  /** The running storage move; null if there is none. */
  move_id: number | null;
  created_at: string;
  updated_at: string;
}
