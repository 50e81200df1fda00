import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { assignIterationBatch } from './assign-iteration.ts';
import { findCurrentIteration } from './iteration-rows.ts';
import { findCadenceById } from './store.ts';

interface ClosedIteration {
  readonly cadenceId: number;
  readonly iterationId: number;
}

/** Moves the open issues of a closed iteration to the current iteration of its cadence, in batches. */
export const rollOverIteration = defineJob({
  kind: 'roll_over_iteration',
  handle: async ({ runUnitOfWork }: Pick<Services, 'runUnitOfWork'>, closedIteration: ClosedIteration) => {
    await runInBatches(runUnitOfWork, ANONYMOUS, {
      recheck: recheckNothing,
      runBatch: (uow) => moveOpenIssues(uow, closedIteration),
    });
  },
});

async function moveOpenIssues(
  uow: UnitOfWork,
  { cadenceId, iterationId }: ClosedIteration,
): Promise<typeof MORE | undefined> {
  // The cadence may have been deleted, or its roll-over disabled, since the job was enqueued.
  if (!(await findCadenceById(uow, cadenceId))?.roll_over) return undefined;
  const currentIterationId = await findCurrentIteration(uow, cadenceId);
  if (currentIterationId === null || currentIterationId === iterationId) return undefined;
  return (await moveOpenIssueBatch(uow, iterationId, currentIterationId)) === BATCH_SIZE ? MORE : undefined;
}

/** Moves one batch of open issues to another iteration and returns their number. */
function moveOpenIssueBatch(tx: Transaction, fromId: number, toId: number): Promise<number> {
  return assignIterationBatch(tx, toId, (issues) =>
    issues.where('iteration_id', '=', fromId).where('state', '=', 'opened').orderBy('id'),
  );
}
