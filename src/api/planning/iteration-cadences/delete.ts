import type { SignedInCaller } from '#authentication/caller.ts';
import { requireGroupAccess } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { MANAGE_ITERATIONS } from './access.ts';
import { assignIterationBatch } from './assign-iteration.ts';
import { type CadenceRow, deleteCadenceRow } from './store.ts';

/** Deletes a cadence with its iterations, in batches of one transaction each. Issues lose these iterations first. */
export function deleteCadence(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, group_id }: CadenceRow,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, caller, {
    recheck: (uow) => requireGroupAccess(uow, caller, group_id, MANAGE_ITERATIONS),
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        () => clearIterationBatch(uow, id),
        () => deleteIterationBatch(uow, id),
      );
      if (remainingWork) return remainingWork;
      return (await deleteCadenceRow(uow, id)) ? undefined : fail('notFound');
    },
  });
}

/** Clears the cadence's iterations from one batch of issues and returns the number of issues. index: iterations_by_cadence */
function clearIterationBatch(tx: Transaction, cadenceId: number): Promise<number> {
  const iterations = tx.selectFrom('iterations').select('iterations.id').where('cadence_id', '=', cadenceId);
  return assignIterationBatch(tx, null, (issues) => issues.where('iteration_id', 'in', iterations));
}

/** Deletes one batch of iterations and returns their number. index: iterations_by_cadence */
async function deleteIterationBatch(tx: Transaction, cadenceId: number): Promise<number> {
  const batch = tx.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId).limit(BATCH_SIZE);
  const { numDeletedRows } = await tx.deleteFrom('iterations').where('id', 'in', batch).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
