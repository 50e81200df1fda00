/** What things bring along that were on another server before (contract/operations.md §1.4). */

/** What a thing was like there; one that is new is open and has never been anything else. */
export interface Past<State extends string> {
  readonly state: State;
  readonly closed_at: string | null;
  /** Null: nobody whom this server knows. */
  readonly closed_by_id: number | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Whatever was imported says so. */
export const IMPORTED = { imported_from: 'gitlab_migration' } as const;

/** What a thing is like that is made at this moment. */
export function newlyMade(now: string) {
  return { state: 'opened', closed_at: null, closed_by_id: null, created_at: now, updated_at: now } as const;
}
