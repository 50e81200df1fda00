import type { Generated } from 'kysely';

/** Repository storage moves (contract/operations.md §2). */
export interface StorageMovesTables {
  storage_moves: StorageMovesTable;
}

export type MoveState = 'scheduled' | 'started' | 'replicated' | 'finished' | 'failed' | 'cleanup failed';

export interface StorageMovesTable {
  id: Generated<number>;
  kind: 'project' | 'snippet' | 'group';
  /** Exactly one of these three ids is set. */
  project_id: number | null;
  snippet_id: number | null;
  group_id: number | null;
  state: MoveState;
  source_storage: string;
  destination_storage: string;
  /** JSON array of `{ from, to }`: the paths of each repository in the source and the destination. */
  repositories: string;
  /** The error of a failed move. If it is set in the state `started`, the move is being rolled back. */
  error_message: string | null;
  created_at: string;
  updated_at: string;
}
