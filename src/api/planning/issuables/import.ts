/** State and timestamps of an issuable that is imported from another server (contract/operations.md §1.4). */
export interface ImportedState<State extends string> {
  readonly state: State;
  readonly closed_at: string | null;
  /** Null if the user does not exist on this server. */
  readonly closed_by_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Columns that mark a row as imported. */
export const IMPORTED_VALUES = { imported_from: 'gitlab_migration' } as const;

/** Returns the state columns of an issuable that is created at `now`. */
export function newStateColumns(now: string) {
  return { state: 'opened', closed_at: null, closed_by_id: null, created_at: now, updated_at: now } as const;
}
