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
  /** JSON array of the paths of its files, in the order in which they were sent. */
  files: string;
  /** Where its repository is. */
  storage: string;
  disk_path: string;
  /** Its repository is there. Until then nobody sees it, and if that never comes to be the row goes. */
  made: boolean;
  /** The move that takes its repository elsewhere; null: none does. */
  move_id: number | null;
  created_at: string;
  updated_at: string;
}
