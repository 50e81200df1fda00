import type { RefChange } from '../git/update-refs.ts';

/** What happened, for other families to follow up: the name of each fact and what it tells. Payloads are plain JSON. */
export interface Facts {
  'refs-changed': {
    readonly projectId: number;
    readonly userId: number | null;
    readonly changes: readonly RefChange[];
  };
  'project-moved': { readonly projectId: number; readonly oldPaths: readonly string[] };
  'project-destroyed': { readonly projectId: number; readonly storage: string; readonly diskPath: string };
  'group-destroyed': { readonly groupId: number };
  /**
   * In the transaction that removes the user's row, before it goes: what a family keeps of the user moves to the ghost, or
   * with `hard` is deleted, so far as it doesn't go or lose its user by its foreign key.
   */
  'user-deleted': { readonly userId: number; readonly ghostUserId: number; readonly hard: boolean };
  /** `unassign`: what is assigned to the user there is to be unassigned. */
  'membership-ended': {
    readonly userId: number;
    readonly sourceType: 'group' | 'project';
    readonly sourceId: number;
    readonly unassign?: boolean;
  };
}

export type FactName = keyof Facts;
