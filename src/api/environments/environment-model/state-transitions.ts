import { jobsLockKey } from '#api/pipelines/processing/index.ts';
import type { Transaction } from '#database/database.ts';
import type { EnvironmentState } from '#database/schema.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';

/**
 * State transitions of environments; all other code calls these functions (contract/environments.md "States"). A transition is
 * a compare-and-set: of two concurrent calls one succeeds.
 */

/** For each state, the states from which it can be entered. */
const ALLOWED_FROM = {
  stopping: ['available'],
  stopped: ['available', 'stopping'],
  available: ['stopping', 'stopped'],
} as const satisfies Record<EnvironmentState, readonly EnvironmentState[]>;

/**
 * Sets the state of an environment and returns the updated row; null if its state does not allow the transition or it is
 * deleted. The state `stopped` clears `auto_stop_at`.
 */
export async function setEnvironmentState(
  tx: Transaction,
  environmentId: number,
  state: EnvironmentState,
): Promise<EnvironmentRow | null> {
  // index: environments primary key
  const updateQuery = tx
    .updateTable('environments')
    .set({
      state,
      updated_at: tx.now,
      ...(state === 'stopped' ? { auto_stop_at: null } : {}),
    })
    .where('id', '=', environmentId)
    .where('state', 'in', ALLOWED_FROM[state])
    .returning(environmentColumns);
  return (await updateQuery.executeTakeFirst()) ?? null;
}

/** Returns the lock key for stopping an environment or deploying to it. */
export function environmentLockKey(environmentId: number): string {
  return `environment ${environmentId}`;
}

/** Returns the lock keys for operations that also change jobs. The order is the same everywhere, to prevent deadlocks. */
export function environmentLockKeys(projectId: number, environmentId: number): string[] {
  return [jobsLockKey(projectId), environmentLockKey(environmentId)];
}
