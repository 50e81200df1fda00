import { jobsTurn } from '#api/pipelines/processing/index.ts';
import type { Transaction } from '#database/database.ts';
import type { EnvironmentState } from '#database/tables/environments.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';

/**
 * The one way in which an environment changes its state (contract/environments.md "States"). A step is a compare-and-set:
 * of two who want the same one makes it.
 */

/** From which states another one is entered. */
const FROM = {
  stopping: ['available'],
  stopped: ['available', 'stopping'],
  available: ['stopping', 'stopped'],
} as const satisfies Record<EnvironmentState, readonly EnvironmentState[]>;

/**
 * Brings an environment to this state, and returns it as it is then; null when it is there already, or gone. What has
 * stopped needs no time at which it stops.
 */
export async function enterState(
  tx: Transaction,
  environmentId: number,
  state: EnvironmentState,
): Promise<EnvironmentRow | null> {
  // index: environments primary key
  const stepped = tx
    .updateTable('environments')
    .set({
      state,
      updated_at: tx.now,
      ...(state === 'stopped' ? { auto_stop_at: null } : {}),
    })
    .where('id', '=', environmentId)
    .where('state', 'in', FROM[state])
    .returning(environmentColumns);
  return (await stepped.executeTakeFirst()) ?? null;
}

/** The turn of whatever stops an environment or deploys to it. */
export function environmentTurn(environmentId: number): string {
  return `environment ${environmentId}`;
}

/** The turns of whoever may bring on jobs besides, which deploy to the environment or stop it; in this order everywhere. */
export function turnsWithJobs(projectId: number, environmentId: number): string[] {
  return [jobsTurn(projectId), environmentTurn(environmentId)];
}
