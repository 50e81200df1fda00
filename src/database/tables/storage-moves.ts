import type { Generated } from 'kysely';

/** Repositories on their way from one storage to another (contract/operations.md §2). */
export interface StorageMovesTables {
  storage_moves: StorageMovesTable;
}

export type MoveState = 'scheduled' | 'started' | 'replicated' | 'finished' | 'failed' | 'cleanup failed';

export interface StorageMovesTable {
  id: Generated<number>;
  kind: 'project' | 'snippet' | 'group';
  /** Of the three the one of its kind. */
  project_id: number | null;
  snippet_id: number | null;
  group_id: number | null;
  state: MoveState;
  source_storage: string;
  destination_storage: string;
  /** JSON array of `{ from, to }`: where each repository is in the source, and will be in the destination. */
  repositories: string;
  /** Set while it is started: it is being rolled back. */
  error_message: string | null;
  created_at: string;
  updated_at: string;
}
